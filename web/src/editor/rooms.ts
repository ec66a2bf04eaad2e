/** Walls from the picture of a map: dark pixels joined to rectangles. */

export interface Picture {
  width: number;
  height: number;
  /** Grey values, rows from the top. */
  grey: Uint8Array;
}

/** Rectangles [column, row, columns, rows] that cover the dark cells: runs of a row, grown downwards while they repeat. */
export function rectangles({ width, height, grey }: Picture, dark = 90, most = 1500): [number, number, number, number][] {
  const open = new Map<string, [number, number, number, number]>();
  const done: [number, number, number, number][] = [];
  for (let row = 0; row <= height; row++) {
    const runs = new Set<string>();
    for (let column = 0; row < height && column < width; column++) {
      if (grey[row * width + column]! > dark) continue;
      const start = column;
      while (column < width && grey[row * width + column]! <= dark) column += 1;
      runs.add(`${String(start)}:${String(column - start)}`);
    }
    for (const [key, box] of [...open]) {
      if (runs.has(key)) box[3] += 1;
      else {
        done.push(box);
        open.delete(key);
      }
    }
    for (const key of runs) {
      if (open.has(key)) continue;
      const [start, length] = key.split(":").map(Number) as [number, number];
      open.set(key, [start, row, length, 1]);
    }
    if (done.length > most) throw new Error(`the picture has more than ${String(most)} pieces of wall; a plainer one is needed`);
  }
  return done;
}

/** A PGM file (P5, 8 bits); undefined for any other. */
export function readPgm(data: Uint8Array): Picture | undefined {
  const head = new TextDecoder("latin1").decode(data.slice(0, 400));
  const found = /^P5\s+(?:#[^\n]*\n\s*)*(\d+)\s+(?:#[^\n]*\n\s*)*(\d+)\s+(?:#[^\n]*\n\s*)*(\d+)\s/.exec(head);
  if (!found) return undefined;
  const [width, height, most] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const grey = data.slice(found[0].length, found[0].length + width * height);
  if (most > 255 || grey.length < width * height) return undefined;
  return { width, height, grey };
}

/** The picture of a file: PGM, or whatever the browser can draw. */
export async function readPicture(file: Blob): Promise<Picture> {
  const pgm = readPgm(new Uint8Array(await file.arrayBuffer()));
  if (pgm) return pgm;
  const bitmap = await createImageBitmap(file).catch(() => { throw new Error("this is no picture that can be read (PGM, PNG, JPEG)"); });
  if (bitmap.width * bitmap.height > 4_000_000) throw new Error("the picture has more than 4 million pixels");
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const paint = canvas.getContext("2d")!;
  paint.drawImage(bitmap, 0, 0);
  const { data } = paint.getImageData(0, 0, bitmap.width, bitmap.height);
  const grey = new Uint8Array(bitmap.width * bitmap.height);
  for (let i = 0; i < grey.length; i++) grey[i] = data[4 * i + 3]! < 128 ? 255 : (data[4 * i]! + data[4 * i + 1]! + data[4 * i + 2]!) / 3;
  return { width: bitmap.width, height: bitmap.height, grey };
}
