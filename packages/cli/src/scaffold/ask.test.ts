import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { Interrupted } from "../command.js";
import { ask } from "./ask.js";
import { checkKind } from "./names.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are told by them where to write
const movements = /\u001b\[\d*[A-Z]/g;

/** Somebody who types, and what they see. */
function somebody() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const looks = new Set<() => void>();
  let seen = "";
  stdout.on("data", (chunk: Buffer) => {
    seen += chunk.toString();
    for (const look of looks) look();
  });
  const screen = (): string => seen.replace(movements, "").replaceAll("\r\n", "\n");
  const sees = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (screen().endsWith(text)) resolve();
      };
      looks.add(look);
      look();
    });
  return { dialogue: { stdin, stdout }, types: (keys: string) => stdin.write(keys), sees, screen };
}

const anything = (): void => undefined;

test("each question is asked once more while its answer cannot be, and each key is shown once", async () => {
  const { dialogue, types, sees, screen } = somebody();
  const first = ask("Group", "shop", anything, dialogue);
  await sees("Group (shop): ");
  types("\n");
  expect(await first).toBe("shop");
  const second = ask("Kind", "", checkKind, dialogue);
  await sees("Kind: ");
  types("order\n");
  await sees("did you mean Order?\nKind: ");
  types("Order\n");
  expect(await second).toBe("Order");
  expect(screen()).toMatch(/^Group \(shop\): \nKind: order\n.*\nKind: Order\n$/);
});

test("Ctrl-C ends the question", async () => {
  const { dialogue, types, sees, screen } = somebody();
  const question = ask("Group", "shop", anything, dialogue);
  await sees("Group (shop): ");
  types("\u0003");
  await expect(question).rejects.toThrow(Interrupted);
  expect(screen()).toBe("Group (shop): \n");
});
