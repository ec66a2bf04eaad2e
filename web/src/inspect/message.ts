/** Messages as text: long arrays cut when shown, and an empty one of a type to begin with. */

export interface TypeDef {
  type: string;
  fieldnames: string[];
  fieldtypes: string[];
  /** -1: no array; 0: of any length; else of so many. */
  fieldarraylen: number[];
}

const SHOWN = 12; // entries of an array
const LONGEST = 400; // letters of a text

/** A message as indented JSON; arrays of many numbers are cut. */
export function shown(message: unknown): string {
  return JSON.stringify(message, (_key, value: unknown) => {
    if (typeof value === "bigint") return Number(value);
    if (typeof value === "number") return Number.isFinite(value) ? Number(value.toPrecision(6)) : String(value);
    if (typeof value === "string" && value.length > LONGEST) return `${value.slice(0, LONGEST)}… (${String(value.length)} letters)`;
    const list = ArrayBuffer.isView(value) && !(value instanceof DataView) ? Array.from(value as unknown as ArrayLike<number>).slice(0, SHOWN + 1) : value;
    if (Array.isArray(list)) {
      const length = (value as { length: number }).length;
      const numbers = (list as unknown[]).every((one) => typeof one === "number");
      const some = (list as unknown[]).slice(0, SHOWN).map((one) => (typeof one === "number" ? Number(one.toPrecision(6)) : one));
      if (numbers) return `[${some.join(", ")}${length > SHOWN ? `, … ${String(length)} in all` : ""}]`;
      return length > SHOWN ? [...some, `… ${String(length)} in all`] : list;
    }
    return value;
  }, 2).replace(/"(\[[^"]*\])"/g, "$1");
}

/** An empty message of the first of some types. */
export function template(defs: readonly TypeDef[]): unknown {
  const known = new Map(defs.map((one) => [plain(one.type), one]));
  const make = (type: string, depth: number): unknown => {
    const def = known.get(plain(type));
    if (!def || depth > 8) return /string/.test(type) ? "" : /bool/.test(type) ? false : 0;
    return Object.fromEntries(def.fieldnames.map((name, i) => {
      const length = def.fieldarraylen[i] ?? -1;
      const one = (): unknown => make(def.fieldtypes[i]!, depth + 1);
      return [name, length < 0 ? one() : Array.from({ length: Math.min(length, 100) }, one)];
    }));
  };
  return defs[0] ? make(defs[0].type, 0) : {};
}

function plain(type: string): string {
  return type.replace("/msg/", "/");
}
