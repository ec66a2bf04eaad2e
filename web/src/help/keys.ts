/** Keys of the page beside those that drive. */

import { takesText } from "../ui/dom";

/** Call what belongs to a key, wherever no text is typed and no window is open. */
export function startShortcuts(actions: Readonly<Record<string, () => void>>): void {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || takesText(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const target = event.target;
    const pressable = target instanceof HTMLButtonElement || target instanceof HTMLSelectElement || target instanceof HTMLInputElement;
    if (event.key === " " && pressable) return; // it presses that
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
