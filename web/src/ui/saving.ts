/** Files that the browser keeps for the user. */

/** Hand a blob over as a download. */
export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => { URL.revokeObjectURL(link.href); }, 10_000);
}

export function saveText(text: string, name: string): void {
  saveBlob(new Blob([text], { type: "text/plain" }), name);
}
