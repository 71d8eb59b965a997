import { describe, expect, it } from "vitest";
import { causes, configMap, configMaps, patchTypes, requestServer } from "./request-server.js";

describe("options of writes", () => {
  it.each([
    ["POST", "?dryRun=All&dryRun=x", ['dryRun: Unsupported value: ["All","x"]: supported values: "All"']],
    [
      "PUT",
      "?fieldValidation=strict",
      ['fieldValidation: Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn"'],
    ],
    ["PATCH", "?force=", ["force: Forbidden: may not be specified for non-apply patch"]],
    [
      "PATCH",
      "?force=0&fieldManager=a%01b&dryRun=",
      [
        "force: Forbidden: may not be specified for non-apply patch",
        'fieldManager: Invalid value: "a\\x01b": invalid character U+0001 (at position 1)',
        'dryRun: Unsupported value: [""]: supported values: "All"',
      ],
    ],
  ] as const)("%s %s", async (method, query, expected) => {
    const { call } = await requestServer();
    const path = method === "POST" ? configMaps : `${configMaps}/a`;
    const answer = await call(method, `${path}${query}`, configMap({ name: "a" }), {
      "content-type": method === "PATCH" ? patchTypes.merge : "application/json",
    });
    expect([answer.status, causes(answer)]).toEqual([422, expected]);
  });

  it("an apply must name a manager, and may be forced with any word that is not no", async () => {
    const { apply } = await requestServer();
    const path = `${configMaps}/a`;
    expect(causes(await apply(path, configMap({ name: "a" })))).toEqual([
      "fieldManager: Required value: is required for apply patch",
    ]);
    await apply(`${path}?fieldManager=one`, configMap({ name: "a" }, { data: { k: "1" } }));
    const second = configMap({ name: "a" }, { data: { k: "2" } });
    expect((await apply(`${path}?fieldManager=two&force=False`, second)).status).toBe(409);
    expect((await apply(`${path}?fieldManager=two&force`, second)).status).toBe(200);
  });

  it("that nobody knows are ignored, and of those given twice the first counts", async () => {
    const { call } = await requestServer();
    const answer = await call("POST", `${configMaps}?dryrun=All&foo=bar`, configMap({ name: "a" }));
    expect(answer.body.metadata.resourceVersion).toBeDefined();
    const strict = await call(
      "POST",
      `${configMaps}?fieldValidation=Strict&fieldValidation=Ignore`,
      configMap({ name: "b" }, { bogus: 1 }),
    );
    expect(strict.status).toBe(400);
  });
});
