/** How a gait search stands, in words. */

import type { SearchState } from "../link/messages";

/** How a search stands, in a sentence. */
export function stateWords(state: SearchState, rate: string): string {
  if (state.status === "idle") return "No search yet.";
  const tried = `${String(state.evaluated)} of ${String(state.budget)} candidates tried${rate}`;
  const study = state.study ? ` Study: ${state.study}.` : "";
  const how = { running: "Searching", paused: "Paused", done: "Done", failed: "The search failed" }[state.status] ?? state.status;
  const message = state.message ? ` ${sentence(state.message)}` : "";
  return `${how}: ${tried}.${study}${message}`;
}

/** The last line of a message, as a sentence: what a process said before it ended may have many. */
function sentence(text: string): string {
  const line = text.trim().split("\n").at(-1)!.replace(/^\w*(Error|Exception): /, "");
  return line.charAt(0).toUpperCase() + line.slice(1) + (/[.!?]$/.test(line) ? "" : ".");
}
