import { ApiError, systemClock, TerminalError } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { jsonLogger } from "./logger.js";
import { withoutSecretContents } from "./secret-contents.js";

const refused = (what: string, code = 400) =>
  new ApiError(`${what}: illegal base64 data in {"password":"hunter2"}`, { code, reason: "BadRequest" });

describe("errors of calls on Secrets", () => {
  test.each([
    ["a refusal", () => refused("apply Secret shop/web")],
    ["one without a name", () => refused("create Secret", 422)],
    [
      "one within another",
      () =>
        new TerminalError(`wrapped: ${refused("patch Secret a/b").message}`, {
          cause: refused("patch Secret a/b"),
        }),
    ],
  ])("%s shows no contents, in its message, stack or log", (_, make) => {
    const shown = withoutSecretContents(make()) as Error;
    expect(shown.message).toContain("Secret");
    expect(`${shown.message} ${shown.stack} ${shown.cause}`).not.toContain("hunter2");
    let line = "";
    const log = jsonLogger({ clock: systemClock, write: (text) => (line += text) });
    log.error("reconcile failed", { error: make() });
    expect(line).toContain("left out");
    expect(line).not.toContain("hunter2");
  });

  test.each([
    ["of other kinds", refused("apply ConfigMap shop/web")],
    [
      "that name the object only",
      new ApiError('get Secret a/b: secrets "b" not found', { code: 404, reason: "NotFound" }),
    ],
  ])("those %s stay as they are", (_, error) => {
    expect(withoutSecretContents(error)).toBe(error);
  });
});
