/** Small settings kept in the browser; where that is forbidden they last as long as the page. */

const PREFIX = "andante.studio.";
const fallback = new Map<string, string>();

/** Keep a value that JSON can hold. */
export function remember(name: string, value: unknown): void {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(PREFIX + name, text);
  } catch {
    fallback.set(name, text);
  }
}

/** The kept value of that name, or else the other one. */
export function recall<T>(name: string, otherwise: T): T {
  let text: string | null | undefined;
  try {
    text = localStorage.getItem(PREFIX + name);
  } catch {
    text = fallback.get(name);
  }
  if (text === null || text === undefined) return otherwise;
  try {
    return JSON.parse(text) as T;
  } catch {
    return otherwise;
  }
}
