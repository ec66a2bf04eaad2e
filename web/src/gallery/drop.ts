/** What a user drops or chooses: files with their paths, folders walked through. */

export interface Dropped {
  path: string;
  file: File;
}

const MOST = 2000; // files of one drop

/** Files of a list, with the path in the chosen folder where there is one. */
export function chosen(list: FileList): Dropped[] {
  return [...list].slice(0, MOST).map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** Everything in a drop, folders too. */
export async function dropped(data: DataTransfer): Promise<Dropped[]> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return chosen(data.files);
  const found: Dropped[] = [];
  for (const entry of entries) await walk(entry, "", found);
  return found;
}

async function walk(entry: FileSystemEntry, above: string, found: Dropped[]): Promise<void> {
  if (found.length >= MOST) return;
  const path = above + entry.name;
  if (entry.isFile) {
    found.push({ path, file: await new Promise<File>((done, fail) => { (entry as FileSystemFileEntry).file(done, fail); }) });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => { reader.readEntries(done, fail); });
    if (some.length === 0) return;
    for (const one of some) await walk(one, `${path}/`, found);
  }
}

export interface Problem {
  severity: string;
  where: string;
  message: string;
}

export interface Entry {
  key: string;
  kind: string;
  name: string;
  file: string;
  links: number;
  joints: number;
  mass: number;
  problems: Problem[];
  added: number;
}

/** Hand files over to the session; what it found in them. Rejects with a line of text. */
export async function handOver(files: readonly Dropped[], told: (share: number) => void): Promise<Entry> {
  const drop = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(36).padStart(2, "0")).join("").slice(0, 24);
  const whole = files.reduce((sum, { file }) => sum + file.size, 0) || 1;
  let sent = 0;
  for (const { path, file } of files) {
    await post(`upload?drop=${drop}&path=${encodeURIComponent(path)}`, file);
    sent += file.size;
    told(sent / whole);
  }
  return (await post(`upload/done?drop=${drop}`)) as Entry;
}

async function post(address: string, body?: Blob): Promise<unknown> {
  const answer = await fetch(address, { method: "POST", ...(body && { body }) });
  const told = (await answer.json().catch(() => ({}))) as { error?: string };
  if (!answer.ok) throw new Error(told.error ?? `the session refused it (${String(answer.status)})`);
  return told;
}

/** What was brought before, the newest first. */
export async function shelf(): Promise<Entry[]> {
  const answer = await fetch("gallery.json", { cache: "no-store" });
  return answer.ok ? ((await answer.json()) as Entry[]) : [];
}
