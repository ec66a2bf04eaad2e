/** Light, dark, or as the system says; kept in the browser. */

import { Signal } from "./signal";
import { recall, remember } from "./store";

export type Choice = "system" | "light" | "dark";
const CHOICES: readonly Choice[] = ["system", "light", "dark"];

const system = globalThis.matchMedia?.("(prefers-color-scheme: dark)") ?? { matches: false, addEventListener: () => undefined };

export const choice = new Signal<Choice>(saved());
export const dark = new Signal<boolean>(isDark());

function saved(): Choice {
  const value = recall<string>("theme", "system");
  return CHOICES.find((name) => name === value) ?? "system";
}

function isDark(): boolean {
  return choice.value === "dark" || (choice.value === "system" && system.matches);
}

function apply(): void {
  dark.value = isDark();
  document.documentElement.dataset["theme"] = dark.value ? "dark" : "light";
}

/** Start following the system and the user's choice. */
export function startTheme(): void {
  system.addEventListener("change", apply);
  choice.watch((value) => {
    remember("theme", value);
    apply();
  });
}

/** Go on to the next of system, light, dark. */
export function nextTheme(): void {
  choice.value = CHOICES[(CHOICES.indexOf(choice.value) + 1) % CHOICES.length]!;
}

/** The value of a colour of the style sheet, as text. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
