/** Samples of one curve over time, the oldest forgotten. */

export class Series {
  readonly times: number[] = [];
  readonly values: number[] = [];

  constructor(private readonly most = 6000) {}

  /** Add a sample; time that runs back (after a reset) clears the curve. */
  add(time: number, value: number): void {
    const last = this.times[this.times.length - 1];
    if (last !== undefined && time < last) this.clear();
    if (last === time) return;
    this.times.push(time);
    this.values.push(value);
    if (this.times.length > this.most) {
      const gone = Math.floor(this.most / 10);
      this.times.splice(0, gone);
      this.values.splice(0, gone);
    }
  }

  clear(): void {
    this.times.length = this.values.length = 0;
  }

  /** Index of the first sample at or after a time. */
  from(time: number): number {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle]! < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Several curves on one axis of times, as uPlot wants them: null where a curve has no sample. */
export function joined(curves: readonly Series[], since: number): [number[], ...(number | null)[][]] {
  const times = [...new Set(curves.flatMap((curve) => curve.times.slice(curve.from(since))))].sort((a, b) => a - b);
  const columns = curves.map((curve) => {
    const column: (number | null)[] = new Array<number | null>(times.length).fill(null);
    let at = curve.from(since);
    times.forEach((time, i) => {
      if (curve.times[at] === time) {
        const value = curve.values[at]!;
        column[i] = Number.isFinite(value) ? value : null;
        at += 1;
      }
    });
    return column;
  });
  return [times, ...columns];
}

/** Curves as a table with a row per time; empty where a curve has no sample. */
export function table(curves: readonly { name: string; series: Series }[]): string {
  const [times, ...columns] = joined(curves.map((curve) => curve.series), -Infinity);
  const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
  const rows = times.map((time, i) => [time, ...columns.map((column) => column[i] ?? "")].join(","));
  return [["time [s]", ...curves.map((curve) => curve.name)].map(quoted).join(","), ...rows, ""].join("\n");
}
