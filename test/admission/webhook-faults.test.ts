// Webhooks that break down in every way. None of it may harm the server, and the failure policy decides about the request.
import { type ApiError, ConfigMap, VirtualClock } from "@kubewright/api";
import type { LocalWebhook } from "@kubewright/apiserver";
import { describe, expect, it } from "vitest";
import { type Answer, type ReviewRequest, webhookServer, wellBehaved } from "./webhook-server.js";

const settings: ConfigMap = { metadata: { name: "x", namespace: "shop" }, data: { a: "1" } };

const failure = (promise: Promise<unknown>): Promise<ApiError> =>
  promise.then(
    () => expect.fail("it went through"),
    (error) => error,
  );

/** An answer with its response changed. */
const answering =
  (change: (response: Record<string, unknown>, uid: string) => unknown): LocalWebhook =>
  (_path, body) => {
    const { uid } = (body as { request: ReviewRequest }).request;
    const response = change({ uid, allowed: true }, uid);
    return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
  };

const encoded = (text: string): string => Buffer.from(text).toString("base64");
const patching = (text: string, patchType: string | undefined = "JSONPatch"): LocalWebhook =>
  answering((response) => ({ ...response, patch: encoded(text), patchType }));

const calling = 'failed calling webhook "bad.example.com": failed to call webhook: ';
const invalid = 'failed calling webhook "bad.example.com": received invalid webhook response: ';

const faults: readonly (readonly [string, LocalWebhook, string])[] = [
  [
    "garbage",
    () => "garbage",
    `${calling}couldn't get version/kind; json parse error: json: cannot unmarshal string`,
  ],
  ["nothing", () => null, `${invalid}webhook response was absent`],
  ["an empty object", () => ({}), `${invalid}webhook response was absent`],
  [
    "another kind",
    () => ({ apiVersion: "v1", kind: "Pod" }),
    `${calling}no kind "Pod" is registered for version "v1"`,
  ],
  [
    "a failure",
    () => ({ apiVersion: "v1", kind: "Status", status: "Failure", message: "not now" }),
    `${calling}not now`,
  ],
  [
    "no identity",
    (_path, body) => ({ response: { uid: (body as { request: ReviewRequest }).request.uid, allowed: true } }),
    `${invalid}expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=`,
  ],
  [
    "the other version",
    () => ({ apiVersion: "admission.k8s.io/v1beta1", kind: "AdmissionReview", response: { allowed: true } }),
    `${invalid}webhook response was absent`,
  ],
  [
    "another uid",
    answering((response) => ({ ...response, uid: "other" })),
    `${invalid}expected response.uid="`,
  ],
  [
    "a text for a flag",
    answering((response) => ({ ...response, allowed: "yes" })),
    `${calling}json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool`,
  ],
  [
    "a number for a warning",
    answering((response) => ({ ...response, warnings: [1] })),
    `${calling}json: cannot unmarshal number into Go struct field AdmissionResponse.response.warnings of type string`,
  ],
  [
    "an exception",
    () => {
      throw new Error("out of order");
    },
    `${calling}an error on the server ("out of order") has prevented the request from succeeding`,
  ],
  [
    "no such service",
    undefined as never,
    `${calling}Post "https://bad.default.svc:443/bad?timeout=10s": service "bad" not found`,
  ],
];

const patchFaults: readonly (readonly [string, LocalWebhook, string])[] = [
  [
    "a patch without a type",
    answering((response) => ({ ...response, patch: encoded("[]") })),
    `${invalid}webhook returned response.patch but not response.patchType`,
  ],
  [
    "a type without a patch",
    answering((response) => ({ ...response, patchType: "JSONPatch" })),
    `${invalid}webhook returned response.patchType but not response.patch`,
  ],
  [
    "a patch that is not base64",
    answering((response) => ({ ...response, patch: "[{}]", patchType: "JSONPatch" })),
    `${calling}illegal base64 data at input byte 0`,
  ],
  [
    "a patch that is not JSON",
    patching("[{"),
    'failed calling webhook "bad.example.com": received undecodable patch in webhook response: unexpected end of JSON input',
  ],
  [
    "a patch that is no list",
    patching("{}"),
    'failed calling webhook "bad.example.com": received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch',
  ],
  [
    "a patch of another type",
    patching('[{"op":"add","path":"/data/b","value":"1"}]', "MergePatch"),
    'failed calling webhook "bad.example.com": unsupported patch type "MergePatch"',
  ],
];

describe("a webhook that answers with", () => {
  it.each([...faults, ...patchFaults])("%s", async (_what, webhook, message) => {
    await using at = await webhookServer();
    await at.mutating("bad", webhook);
    const error = await failure(at.client.create(ConfigMap, settings));
    expect(error).toMatchObject({ code: 500, reason: "InternalError" });
    expect(error.message).toContain(`Internal error occurred: ${message}`);
    expect(error.details?.causes?.[0]?.message).toContain(message);
  });

  it.each([...faults, ...patchFaults])("%s, and may fail", async (_what, webhook) => {
    await using at = await webhookServer();
    await at.mutating("bad", webhook, { failurePolicy: "Ignore" });
    await at.validating("worse", webhook, { failurePolicy: "Ignore" });
    const created = await at.client.create(ConfigMap, settings);
    expect(created.data).toEqual({ a: "1" });
  });

  it.each(faults)("%s, when it validates", async (_what, webhook, message) => {
    await using at = await webhookServer();
    await at.validating("bad", webhook);
    const error = await failure(at.client.create(ConfigMap, settings));
    expect(error).toMatchObject({ code: 500, reason: "InternalError" });
    expect(error.message).toContain(message);
  });

  it("a patch, when it only validates", async () => {
    await using at = await webhookServer();
    await at.validating("bad", patching('[{"op":"add","path":"/data/b","value":"1"}]'));
    const error = await failure(at.client.create(ConfigMap, settings));
    expect(error.message).toContain(`${invalid}validating webhook may not return response.patch`);
  });
});

describe("a patch", () => {
  const refused = async (patch: Answer["patch"], failurePolicy: "Fail" | "Ignore" = "Ignore") => {
    await using at = await webhookServer();
    await at.mutating(
      "bad",
      wellBehaved(() => ({ patch: patch ?? [] })),
      { failurePolicy },
    );
    return failure(at.client.create(ConfigMap, settings));
  };

  // The failure policy is about calls. A patch that does not work is a fault of the answer, and always refused.
  it.each([
    [
      "does not apply",
      [{ op: "remove", path: "/data/missing" }],
      500,
      /remove operation does not apply|Unable to remove nonexistent key/,
    ],
    [
      "tests for something else",
      [{ op: "test", path: "/data/a", value: "2" }],
      500,
      /testing value \/data\/a failed/,
    ],
    ["has no operation", [{ path: "/data/a" }], 500, /Unexpected kind: unknown/],
    [
      "leaves another type",
      [{ op: "replace", path: "/data", value: "text" }],
      500,
      /json: cannot unmarshal string/,
    ],
    ["leaves another kind", [{ op: "replace", path: "/kind", value: "Secret" }], 500, /unknown conversion/],
    ["leaves no object", [{ op: "replace", path: "", value: [] }], 500, /./],
    [
      "leaves a bad name",
      [{ op: "replace", path: "/metadata/name", value: "Not A Name" }],
      422,
      /is invalid: metadata.name/,
    ],
    [
      "leaves a bad label",
      [{ op: "add", path: "/metadata/labels", value: { "a b": "" } }],
      422,
      /metadata.labels: Invalid value/,
    ],
    [
      "moves it elsewhere",
      [{ op: "replace", path: "/metadata/namespace", value: "default" }],
      400,
      /does not match the namespace/,
    ],
  ] as const)("that %s", async (_what, patch, code, message) => {
    const error = await refused(patch);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it("of an object that goes", async () => {
    await using at = await webhookServer();
    await at.client.create(ConfigMap, settings);
    await at.mutating(
      "bad",
      wellBehaved(() => ({ patch: [{ op: "add", path: "/data/b", value: "1" }] })),
    );
    const error = await failure(at.client.delete(ConfigMap, "x", { namespace: "shop" }));
    expect(error.code).toBe(500);
    expect(error.message).toContain(
      'Internal error occurred: admission webhook "bad.example.com" attempted to modify the object, which is not supported for this operation',
    );
  });

  it("that spoils managedFields is taken without them, with a warning", async () => {
    await using at = await webhookServer();
    const patch = [
      { op: "add", path: "/data/b", value: "2" },
      { op: "add", path: "/metadata/managedFields/0/operation", value: "Guess" },
    ];
    await at.mutating(
      "bad",
      wellBehaved(() => ({ patch })),
    );
    const created = await at.client.create(ConfigMap, settings, { fieldManager: "me" });
    expect(created.data).toEqual({ a: "1", b: "2" });
    expect(created.metadata?.managedFields).toMatchObject([{ manager: "me", operation: "Update" }]);
    expect(at.warnings).toEqual([
      expect.stringContaining(".metadata.managedFields was in an invalid state after admission"),
    ]);
  });

  it("cannot reach what every object inherits", async () => {
    await using at = await webhookServer();
    const patch = [{ op: "add", path: "/__proto__/polluted", value: "yes" }];
    await at.mutating(
      "bad",
      wellBehaved(() => ({ patch })),
      { failurePolicy: "Ignore" },
    );
    await failure(at.client.create(ConfigMap, settings));
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});

describe("a webhook that takes too long", () => {
  const silent: LocalWebhook = () => new Promise(() => undefined);

  it.each([
    [undefined, 10],
    [3, 3],
  ])("is given up after its %s seconds (%i)", async (timeoutSeconds, seconds) => {
    const clock = new VirtualClock();
    await using at = await webhookServer({ clock });
    await at.validating("slow", silent, timeoutSeconds === undefined ? {} : { timeoutSeconds });
    const created = failure(at.client.create(ConfigMap, settings));
    const start = clock.monotonic();
    const error = await clock.runUntilSettled(created);
    expect(clock.monotonic() - start).toBe(seconds * 1000);
    expect(error.message).toContain(
      `Internal error occurred: failed calling webhook "slow.example.com": failed to call webhook: Post "https://slow.default.svc:443/slow?timeout=${seconds}s": context deadline exceeded`,
    );
  });

  it("and may fail only delays the request", async () => {
    const clock = new VirtualClock();
    await using at = await webhookServer({ clock });
    await at.mutating("slow", silent, { failurePolicy: "Ignore", timeoutSeconds: 1 });
    await at.validating("slower", silent, { failurePolicy: "Ignore", timeoutSeconds: 2 });
    const created = await clock.runUntilSettled(at.client.create(ConfigMap, settings));
    expect(created.data).toEqual({ a: "1" });
    expect(clock.monotonic()).toBe(3000);
    expect(clock.pending).toBe(0);
    expect(clock.inFlight).toEqual([]);
  });
});
