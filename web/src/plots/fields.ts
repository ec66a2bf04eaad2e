/** Numeric fields of any message: their paths, and the values at them. */

const MOST = 400;

function isArray(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

/** Paths of all numbers in a message, such as `linear.x` or `position[3]`; entries of arrays with names get those. */
export function numericPaths(message: unknown, most = MOST): string[] {
  const found: string[] = [];
  const walk = (value: unknown, path: string, depth: number): void => {
    if (found.length >= most || depth > 8) return;
    if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
      found.push(path);
    } else if (isArray(value)) {
      for (let i = 0; i < value.length && found.length < most; i++) walk(value[i], `${path}[${String(i)}]`, depth + 1);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, entry] of Object.entries(value)) walk(entry, path ? `${path}.${name}` : name, depth + 1);
    }
  };
  walk(message, "", 0);
  return found;
}

/** The number at a path, NaN where there is none. */
export function valueAt(message: unknown, path: string): number {
  let value: unknown = message;
  for (const part of path.split(/[.[\]]+/).filter(Boolean)) {
    if (typeof value !== "object" || value === null) return NaN;
    value = (value as Record<string, unknown>)[part];
  }
  if (typeof value === "boolean") return Number(value);
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : NaN;
}

/** A path with the name of what it belongs to where the message names it: `position[3]` of joint states. */
export function label(message: unknown, path: string): string {
  const found = /^(.*)\[(\d+)\]$/.exec(path);
  if (!found || typeof message !== "object" || message === null) return path;
  for (const key of ["name", "names", "joint_names"]) {
    const names = (message as Record<string, unknown>)[key];
    const name = Array.isArray(names) ? (names as unknown[])[Number(found[2])] : undefined;
    if (typeof name === "string") return `${found[1]!} ${name}`;
  }
  return path;
}

/** Time of a message [s]: that of its header, or else the other one. */
export function stampOf(message: unknown, otherwise: number): number {
  const stamp = (message as { header?: { stamp?: { sec?: number; nanosec?: number } } } | null)?.header?.stamp;
  if (typeof stamp?.sec !== "number") return otherwise;
  const time = stamp.sec + (stamp.nanosec ?? 0) * 1e-9;
  return time > 0 ? time : otherwise;
}
