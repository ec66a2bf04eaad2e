/** Who publishes what and who listens, in three columns. */

export interface TopicEnds {
  topic: string;
  type: string;
  publishers: string[];
  subscribers: string[];
}

export interface Box {
  id: string;
  label: string;
  column: 0 | 1 | 2;
  y: number;
}

export interface Wire {
  from: string;
  to: string;
}

export const ROW = 26;

/** Boxes and wires: publishers to the left, topics in the middle, listeners to the right. */
export function layout(topics: readonly TopicEnds[]): { boxes: Box[]; wires: Wire[]; height: number } {
  const boxes: Box[] = [];
  const wires: Wire[] = [];
  const columns: [Map<string, number[]>, Map<string, number[]>] = [new Map(), new Map()];
  const sorted = [...topics].sort((a, b) => (a.publishers[0] ?? "~").localeCompare(b.publishers[0] ?? "~") || a.topic.localeCompare(b.topic));
  sorted.forEach((one, row) => {
    const y = row * ROW;
    boxes.push({ id: `t:${one.topic}`, label: one.topic, column: 1, y });
    for (const [side, ends] of [[0, one.publishers], [1, one.subscribers]] as const) {
      for (const node of ends) {
        const id = `${side === 0 ? "p" : "s"}:${node}`;
        columns[side].set(id, [...(columns[side].get(id) ?? []), y]);
        wires.push(side === 0 ? { from: id, to: `t:${one.topic}` } : { from: `t:${one.topic}`, to: id });
      }
    }
  });
  ([0, 2] as const).forEach((column, side) => {
    const placed = [...columns[side]!].map(([id, ys]) => ({ id, y: ys.reduce((sum, y) => sum + y, 0) / ys.length })).sort((a, b) => a.y - b.y);
    let free = 0;
    for (const { id, y } of placed) {
      const at = Math.max(free, y);
      boxes.push({ id, label: id.slice(2), column, y: at });
      free = at + ROW;
    }
  });
  return { boxes, wires, height: Math.max(ROW, ...boxes.map((box) => box.y + ROW)) };
}
