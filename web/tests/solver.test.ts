import { expect, test } from "vitest";
import { readSettings, settingsLine } from "../src/panels/solver";

test("settings are read from their lines", () => {
  const listing = { names: ["erp", "method"], help: ["0.3 | 0.2 | part of an error | ", "quick | quick | how | quick, world"] };
  expect(readSettings(listing)).toEqual([
    { name: "erp", present: "0.3", own: "0.2", about: "part of an error", choices: [] },
    { name: "method", present: "quick", own: "quick", about: "how", choices: ["quick", "world"] },
  ]);
});

test("only filled fields are sent", () => {
  expect(settingsLine(new Map([["erp", " 0.3 "], ["cfm", ""], ["method", "world"]]))).toBe("erp=0.3, method=world");
  expect(settingsLine(new Map([["erp", ""]]))).toBe("");
});
