/** Line icons on a 24 x 24 grid. */

import { s } from "./dom";

const PATHS = {
  play: "M7 5l12 7-12 7z",
  pause: "M8 5v14M16 5v14",
  step: "M6 5l9 7-9 7zM18 5v14",
  reset: "M4 12a8 8 0 1 0 2.600-5.900M4 4v5h5",
  record: "M12 12m-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0",
  stop: "M7 7h10v10H7z",
  clip: "M3 7h12v10H3zM15 10l6-3v10l-6-3",
  sun: "M12 12m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500L19 19M5 19l1.500-1.500M17.500 6.500L19 5",
  moon: "M20 14.500A8.500 8.500 0 0 1 9.500 4a8 8 0 1 0 10.500 10.500z",
  system: "M3 5h18v11H3zM9 20h6M12 16v4",
  expand: "M9 4H4v5M15 4h5v5M9 20H4v-5M15 20h5v-5",
  shrink: "M4 9h5V4M20 9h-5V4M4 15h5v5M20 15h-5v5",
  follow: "M12 12m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0M12 3v4M12 17v4M3 12h4M17 12h4",
  home: "M4 11l8-7 8 7v9h-5v-6H9v6H4z",
  push: "M3 12h13M11 7l5 5-5 5M20 5v14",
  contacts: "M12 3v10M8 9l4 4 4-4M4 20h16",
  frames: "M6 18V5M6 18h13M6 18l6-6",
  balance: "M12 4v16M5 20h14M5 9h14M5 9l-2 5h4zM19 9l-2 5h4z",
  steps: "M8 3c2 0 2.500 2 2.500 4S10 11 8 11 5.500 9 5.500 7 6 3 8 3zM16 11c2 0 2.500 2 2.500 4s-.500 4-2.500 4-2.500-2-2.500-4 .500-4 2.500-4z",
  collision: "M12 3l8 4.500v9L12 21l-8-4.500v-9zM12 12l8-4.500M12 12v9M12 12L4 7.500",
  laser: "M4 12h3M12 12m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0M15 9l5-4M16 12h5M15 15l5 4",
  grid: "M4 4h16v16H4zM4 12h16M12 4v16",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  search: "M10.500 10.500m-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0M15 15l5 5",
  goal: "M6 21V4M6 4h11l-2.500 4L17 12H6",
  pin: "M12 21c-4-5-6-8-6-11a6 6 0 0 1 12 0c0 3-2 6-6 11zM12 10m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0",
  hand: "M8 13V6.500a1.500 1.500 0 0 1 3 0V11M11 11V5a1.500 1.500 0 0 1 3 0v6M14 11V6.500a1.500 1.500 0 0 1 3 0V14c0 4-2 7-5.500 7-3 0-4.500-2-6.500-6l-.800-1.600a1.400 1.400 0 0 1 2.400-1.300L8 14",
  up: "M12 19V6M6 11l6-6 6 6",
  down: "M12 5v13M6 13l6 6 6-6",
  left: "M19 12H6M11 6l-6 6 6 6",
  right: "M5 12h13M13 6l6 6-6 6",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
  drive: "M7 9h10a4 4 0 0 1 4 4v3a2 2 0 0 1-3.500 1.300L15.500 15h-7l-2 2.300A2 2 0 0 1 3 16v-3a4 4 0 0 1 4-4zM8 11v3M6.500 12.500h3M16 12.500h.010",
  sliders: "M4 7h9M17 7h3M15 7m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0M4 17h3M11 17h9M9 17m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0",
  open: "M3 7h6l2 2h10v10H3zM12 17v-5M9.500 14L12 11.500l2.500 2.500",
  help: "M12 12m-9 0a9 9 0 1 0 18 0a9 9 0 1 0-18 0M9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.700.300-1 .800-1 1.700M12 17h.010",
  share: "M9 13a4 4 0 0 0 6 .500l3-3a4 4 0 0 0-5.700-5.700l-1.500 1.500M15 11a4 4 0 0 0-6-.500l-3 3a4 4 0 0 0 5.700 5.700l1.500-1.500",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  undo: "M8 8H4V4M4 8a9 9 0 1 1-1 6",
  redo: "M16 8h4V4M20 8a9 9 0 1 0 1 6",
  rotate: "M20 12a8 8 0 1 1-2.600-5.900M20 4v5h-5",
  ruler: "M3 16L16 3l5 5L8 21zM8 11l2 2M11 8l2 2M14 5l2 2",
  save: "M5 4h11l3 3v13H5zM8 4v5h7V4M8 20v-6h8v6",
  mirror: "M12 3v18M9 7L3 17h6zM15 7l6 10h-6z",
  stretch: "M3 5v14M21 5v14M7 12h10M10 9l-3 3 3 3M14 9l3 3-3 3",
  eye: "M2 12c3-5 6.500-7 10-7s7 2 10 7c-3 5-6.500 7-10 7s-7-2-10-7zM12 12m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0",
  check: "M4 12l5 6L20 6",
  info: "M12 12m-9 0a9 9 0 1 0 18 0a9 9 0 1 0-18 0M12 11v5M12 8h.010",
} as const;

export type IconName = keyof typeof PATHS;

/** An icon; it says nothing to screen readers, the button around it does. */
export function icon(name: IconName, size = 16): SVGSVGElement {
  return s(
    "svg",
    { viewBox: "0 0 24 24", width: size, height: size, class: "icon", "aria-hidden": "true", focusable: "false" },
    s("path", { d: PATHS[name] }),
  );
}
