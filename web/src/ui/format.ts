/** Numbers and times as text. */

/** A number with a few digits: 0.1235, 12.3, 1.2e-5; a dash for what is no number. */
export function short(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "-∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(1);
  return String(Number(value.toPrecision(digits)));
}

/** A number with fixed decimals, so that columns do not jump; the minus sign has the width of a digit. */
export function fixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return "–";
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** Seconds as m:ss.d, with hours where there are some. */
export function clock(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  const tenths = Math.max(0, Math.floor(seconds * 10));
  const hours = Math.floor(tenths / 36000);
  const minutes = Math.floor(tenths / 600) % 60;
  const rest = `${String(Math.floor(tenths / 10) % 60).padStart(2, "0")}.${String(tenths % 10)}`;
  return hours > 0 ? `${String(hours)}:${String(minutes).padStart(2, "0")}:${rest}` : `${String(minutes)}:${rest}`;
}

/** The name of a robot or world, also where it is that of a file. */
export function plain(name: string): string {
  return name.replace(/^.*[/\\]/, "").replace(/\.(urdf|xacro|urdf\.xacro|sdf|world|xml|mjcf|usda?|usdc|zip)$/i, "") || name;
}

/** A name in words: "get_up_belly" and "StandInit" become "get up belly" and "Stand Init". */
export function words(name: string): string {
  return name.replace(/[_-]+/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").trim();
}

export const DEGREES = 180 / Math.PI;
