import {
  ApiError,
  ConfigMap,
  deepFreeze,
  fieldError,
  Pod,
  type TransportRequest,
  ValidationError,
  VirtualClock,
} from "@kubewright/api";
import { Client } from "@kubewright/client";
import { defineResource, z } from "@kubewright/schema";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createLogger } from "../logging/logger.js";
import { defineConversion } from "./define-conversion.js";
import { defineWebhook, type WebhookDefinition } from "./define-webhook.js";
import { webhookHandler } from "./webhook-handler.js";

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  plural: "boxes",
  conversion: "webhook",
  spec: z.object({ size: z.int(), name: z.string().optional() }),
  versions: { v1alpha1: { spec: z.object({ count: z.int() }) } },
});

const conversion = defineConversion(Box, {
  v1alpha1: {
    up: ({ spec }) => ({ spec: { size: spec.count } }),
    down({ spec }) {
      if (spec.size < 0) throw new Error("no less than nothing");
      return { spec: { count: spec.size } };
    },
  },
});

const box = (spec: object = { size: 1 }) => ({
  apiVersion: "example.com/v1",
  kind: "Box",
  metadata: { name: "a", namespace: "shop" },
  spec,
});

const review = (request: object = {}) =>
  deepFreeze({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "u1",
      operation: "CREATE",
      kind: { group: "example.com", version: "v1", kind: "Box" },
      resource: { group: "example.com", version: "v1", resource: "boxes" },
      name: "a",
      namespace: "shop",
      userInfo: { username: "jane", groups: ["dev"] },
      object: box(),
      oldObject: null,
      dryRun: false,
      ...request,
    },
  });

interface Response {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: object;
  readonly patch?: string;
  readonly patchType?: string;
  readonly warnings?: readonly string[];
}

const errors: { readonly where: string; readonly error: unknown }[] = [];
const clock = new VirtualClock();
afterEach(() => {
  errors.length = 0;
});

const handlerOf = (...webhooks: (WebhookDefinition | typeof conversion)[]) =>
  webhookHandler({ webhooks }, { clock, onError: (where, error) => errors.push({ where, error }) });

const ask = async (webhook: WebhookDefinition, request: object = {}, path = handlerOf(webhook).paths[0]!) => {
  const answer = (await handlerOf(webhook).call(path, review(request))) as { readonly response: Response };
  return answer.response;
};

const patchIn = ({ patch = "" }: Response): unknown => JSON.parse(Buffer.from(patch, "base64").toString());

describe("a defaulting webhook", () => {
  test("answers with the patch from the object to the changed draft", async () => {
    const webhook = defineWebhook(Box, {
      default(draft, ctx) {
        draft.spec.name ??= draft.metadata.name;
        draft.metadata.labels = { by: ctx.user.username ?? "" };
      },
    });
    const answer = await ask(webhook);
    expect(answer).toMatchObject({ uid: "u1", allowed: true, patchType: "JSONPatch" });
    expect(patchIn(answer)).toEqual([
      { op: "add", path: "/metadata/labels", value: { by: "jane" } },
      { op: "add", path: "/spec/name", value: "a" },
    ]);
  });

  test("may return another object, whose identity may be left out", async () => {
    const webhook = defineWebhook(Box, { default: ({ spec }) => ({ spec: { ...spec, size: 7 } }) as never });
    expect(patchIn(await ask(webhook))).toEqual([{ op: "replace", path: "/spec/size", value: 7 }]);
  });

  test("that changes nothing answers without a patch", async () => {
    const webhook = defineWebhook(Box, { default: (draft) => draft });
    expect(await ask(webhook)).toEqual({ uid: "u1", allowed: true });
  });

  test("that fails on an object the schema forbids leaves the refusal to the API server", async () => {
    const webhook = defineWebhook(Box, {
      default(draft) {
        draft.spec.name = "x";
      },
    });
    const { spec: _spec, ...bare } = box();
    expect(await ask(webhook, { object: bare })).toEqual({ uid: "u1", allowed: true });
    expect(errors).toEqual([]);
  });

  test("must return an object", async () => {
    const webhook = defineWebhook(Box, { default: () => "yes" as never });
    expect(await ask(webhook)).toMatchObject({ allowed: false, status: { code: 500 } });
  });
});

describe("a validating webhook", () => {
  const wrong = fieldError.invalid("spec.size", 1, "must be even");
  const invalid = {
    kind: "Status",
    status: "Failure",
    code: 422,
    reason: "Invalid",
    message: 'Box.example.com "a" is invalid: spec.size: Invalid value: 1: must be even',
    details: {
      name: "a",
      group: "example.com",
      kind: "Box",
      causes: [
        { reason: "FieldValueInvalid", field: "spec.size", message: "Invalid value: 1: must be even" },
      ],
    },
  };

  test.each<[string, () => never | typeof wrong | (typeof wrong)[]]>([
    ["returned", () => wrong],
    ["returned in a list", () => [wrong]],
    [
      "thrown",
      () => {
        throw new ValidationError("box", [wrong]);
      },
    ],
  ])("answers like the server about field errors that are %s", async (_how, validate) => {
    expect(await ask(defineWebhook(Box, { validate }))).toMatchObject({ allowed: false, status: invalid });
    expect(errors).toEqual([]);
  });

  test("denies with 403, or with the Status it is given", async () => {
    const denied = defineWebhook(Box, { validate: (_box, { deny }) => deny("not on Sundays") });
    expect(await ask(denied)).toMatchObject({
      allowed: false,
      status: { code: 403, reason: "Forbidden", message: "not on Sundays" },
    });
    const taken = defineWebhook(Box, {
      validate() {
        throw new ApiError("taken", { code: 409, reason: "Conflict" });
      },
    });
    expect(await ask(taken)).toMatchObject({ allowed: false, status: { code: 409, reason: "Conflict" } });
  });

  test("warns in single lines, once each, whatever it decides", async () => {
    const webhook = defineWebhook(Box, {
      validate(_box, { warn }) {
        warn("small\nbox");
        warn("small box");
        return wrong;
      },
    });
    expect(await ask(webhook)).toMatchObject({ allowed: false, warnings: ["small box"] });
  });

  test("hands each operation to its own function, with what it needs", async () => {
    const calls: unknown[] = [];
    const webhook = defineWebhook(Box, {
      validate: {
        create: (object, ctx) => void calls.push(["create", object.spec.size, ctx.oldObject]),
        update: (object, old, ctx) =>
          void calls.push(["update", object.spec.size, old.spec.size, ctx.dryRun]),
        delete: (object) => void calls.push(["delete", object.spec.size]),
      },
    });
    await ask(webhook, { object: box({ size: 1 }) });
    await ask(webhook, { operation: "UPDATE", object: box({ size: 2 }), oldObject: box(), dryRun: true });
    await ask(webhook, { operation: "DELETE", object: null, oldObject: box({ size: 3 }) });
    expect(await ask(webhook, { operation: "CONNECT", object: box() })).toEqual({ uid: "u1", allowed: true });
    expect(calls).toEqual([
      ["create", 1, undefined],
      ["update", 2, 1, true],
      ["delete", 3],
    ]);
  });

  test("allows removing finalizers of terminating objects, whatever the rules have become", async () => {
    const webhook = defineWebhook(Box, { validate: () => wrong });
    const going = { ...box(), metadata: { ...box().metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    const oldObject = { ...going, metadata: { ...going.metadata, finalizers: ["example.com/a"] } };
    const update = { operation: "UPDATE", object: going, oldObject };
    expect(await ask(webhook, update)).toEqual({ uid: "u1", allowed: true });
    expect(await ask(webhook, { ...update, object: { ...going, spec: { size: 2 } } })).toMatchObject({
      allowed: false,
    });
    expect(await ask(webhook, { ...update, object: box() })).toMatchObject({ allowed: false });
  });

  test("gives its handler the name, user, operation and options of the request", async () => {
    let seen: unknown;
    const webhook = defineWebhook(Box, {
      validate(_box, { name, namespace, uid, user, operation, subresource, options }) {
        seen = { name, namespace, uid, user, operation, subresource, options };
      },
    });
    await ask(webhook, { options: { kind: "CreateOptions", fieldManager: "kubectl" } });
    expect(seen).toEqual({
      name: "a",
      namespace: "shop",
      uid: "u1",
      user: { username: "jane", groups: ["dev"] },
      operation: "CREATE",
      subresource: undefined,
      options: { kind: "CreateOptions", fieldManager: "kubectl" },
    });
  });
});

describe("a webhook handler that fails", () => {
  const failing = (failurePolicy: "Fail" | "Ignore") =>
    defineWebhook(Box, {
      failurePolicy,
      validate() {
        throw new Error("the database is gone");
      },
    });

  test("refuses the request with a message, and is reported", async () => {
    const lines: unknown[] = [];
    const log = createLogger((level, message, fields) => lines.push([level, message, fields["uid"]]));
    const handler = webhookHandler({ webhooks: [failing("Fail")] }, { log });
    expect(await handler.call(handler.paths[0]!, review())).toMatchObject({
      response: {
        allowed: false,
        status: { code: 500, message: "the webhook failed: the database is gone" },
      },
    });
    expect(lines).toEqual([["error", "webhook failed", "u1"]]);
    await ask(failing("Fail"));
    expect(errors.map(({ where, error }) => `${where}: ${error}`)).toEqual([
      "webhook box: Error: the database is gone",
    ]);
  });

  test("answers with an HTTP error under failurePolicy Ignore, so that it is ignored", async () => {
    await expect(ask(failing("Ignore"))).rejects.toThrow("the database is gone");
    const [path] = handlerOf(failing("Ignore")).paths;
    expect(await handlerOf(failing("Ignore")).handle(post(path!, review()))).toMatchObject({ status: 500 });
  });

  test("by taking too long is answered before the timeout of the API server, and aborted", async () => {
    let signal: AbortSignal | undefined;
    const webhook = defineWebhook(Box, {
      validate: (_box, ctx) => {
        ({ signal } = ctx);
        return new Promise<undefined>(() => undefined);
      },
    });
    const handler = handlerOf(webhook);
    const answering = handler.handle({
      ...post(handler.paths[0]!, review()),
      query: new URLSearchParams("timeout=2s"),
    });
    await clock.advance(1_799);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    const answer = await answering;
    expect(answer.body).toMatchObject({
      value: { response: { allowed: false, status: { code: 504, reason: "Timeout" } } },
    });
    expect(signal?.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });
});

describe("reading in a webhook handler", () => {
  test("is for declared kinds, from the server where nothing is cached", async () => {
    const seen: string[] = [];
    const transport = async ({ path }: TransportRequest) => {
      seen.push(path);
      const value = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "c" }, data: { a: "b" } };
      return { status: 200, headers: {}, body: { kind: "object", value } as const };
    };
    const client = new Client({ transport });
    const webhook = defineWebhook(Box, {
      uses: [ConfigMap],
      async validate(_box, ctx) {
        ctx.warn((await ctx.get(ConfigMap, "c"))?.data?.["a"] ?? "");
        await ctx.get(Pod as never, "p");
      },
    });
    const handler = webhookHandler({ webhooks: [webhook] }, { client });
    expect(await handler.call(handler.paths[0]!, review())).toMatchObject({
      response: {
        warnings: ["b"],
        status: {
          message: 'the webhook failed: webhook box: Pod is not declared: add it to "uses" or "watches"',
        },
      },
    });
    expect(seen).toEqual(["/api/v1/namespaces/shop/configmaps/c"]);
  });
});

describe("a conversion webhook", () => {
  const question = (desiredAPIVersion: string, objects: readonly unknown[]) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    request: { uid: "u2", desiredAPIVersion, objects },
  });
  const convert = (desired: string, ...objects: unknown[]) =>
    handlerOf(conversion).call("/convert", question(desired, objects));

  test("converts all objects", async () => {
    expect(await convert("example.com/v1alpha1", box({ size: 1 }), box({ size: 2 }))).toMatchObject({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      response: {
        uid: "u2",
        result: { status: "Success" },
        convertedObjects: [{ spec: { count: 1 } }, { spec: { count: 2 } }],
      },
    });
  });

  test.each([
    [
      "what throws",
      box({ size: -1 }),
      "Box example.com/v1 shop/a to example.com/v1alpha1: no less than nothing",
    ],
    ["other kinds", { ...box(), kind: "Crate" }, "there is no conversion for this kind"],
    ["nonsense", null, "something that is no object"],
  ])("answers with the failure of %s", async (_what, object, message) => {
    expect(await convert("example.com/v1alpha1", box(), object)).toMatchObject({
      response: { uid: "u2", result: { status: "Failure", message: expect.stringContaining(message) } },
    });
    expect(errors.length).toBe(1);
  });
});

const post = (
  path: string,
  body: unknown,
  headers = { "content-type": "application/json" },
): TransportRequest => ({
  method: "POST",
  path,
  headers,
  body: { kind: "bytes", bytes: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)) },
});

describe("malformed webhook requests", () => {
  const validate = vi.fn(() => undefined);
  const handler = handlerOf(defineWebhook(Box, { validate }), conversion);
  const path = "/validate-example-com-v1-box";
  const { request } = review();

  test.each<[string, TransportRequest, number, string]>([
    ["another path", post("/validate", review()), 404, "no webhook here"],
    ["another method", { method: "GET", path }, 405, "POST"],
    ["another content type", post(path, review(), { "content-type": "text/yaml" }), 415, "application/json"],
    ["no body", { method: "POST", path }, 400, "empty"],
    ["bad JSON", post(path, "{"), 400, "not JSON"],
    [
      "bad UTF-8",
      { ...post(path, ""), body: { kind: "bytes", bytes: new Uint8Array([0xff]) } },
      400,
      "not JSON",
    ],
    ["deep JSON", post(path, "[".repeat(501)), 400, "deeper"],
    ["a large body", post(path, " ".repeat(7 * 1024 * 1024 + 1)), 413, "larger"],
    ["no object", post(path, "[]"), 400, "no AdmissionReview"],
    ["another kind", post(path, { ...review(), kind: "Pod" }), 400, "got admission.k8s.io/v1 Pod"],
    ["an old version", post(path, { ...review(), apiVersion: "admission.k8s.io/v1beta1" }), 400, "expected"],
    ["no request", post(path, { ...review(), request: null }), 400, "no request"],
    ["no uid", post(path, review({ uid: "" })), 400, "no uid"],
    ["no object to create", post(path, review({ object: null })), 400, "request.object is missing"],
    [
      "no object before",
      post(path, review({ operation: "UPDATE", oldObject: null })),
      400,
      "request.oldObject is",
    ],
    ["a number for a uid", post(path, review({ uid: 3 })), 400, "no text"],
    ["an unknown operation", post(path, review({ operation: "EAT" })), 400, "operation"],
    ["a list for an object", post(path, review({ object: [] })), 400, "request.object is no object"],
    ["bad metadata", post(path, review({ object: { metadata: 1 } })), 400, "request.object is no object"],
    ["a text for a user", post(path, review({ userInfo: "jane" })), 400, "userInfo"],
    [
      "another resource",
      post(path, review({ resource: { group: "", version: "v1", resource: "pods" } })),
      400,
      "called for pods, but this is for boxes.example.com",
    ],
    [
      "a subresource",
      post(path, { ...review(), request: { ...request, subResource: "status" } }),
      400,
      "boxes/status",
    ],
    ["admission at the wrong door", post("/convert", review()), 400, "ConversionReview"],
    [
      "no objects",
      post("/convert", {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "ConversionReview",
        request: { uid: "1" },
      }),
      400,
      "needs desiredAPIVersion",
    ],
  ])("are refused: %s", async (_what, wrong, status, message) => {
    const answer = await handler.handle(wrong);
    const text = answer.body.kind === "bytes" ? Buffer.from(answer.body.bytes).toString() : "";
    expect(text).toContain(message);
    expect(answer.status).toBe(status);
    expect(validate).not.toHaveBeenCalled();
  });

  test("with a __proto__ key are handled as plain data", async () => {
    const webhook = defineWebhook(Box, {
      default(draft) {
        draft.spec.name = "x";
      },
    });
    const text = JSON.stringify(review()).replace('"size":1', '"size":1,"__proto__":{"polluted":true}');
    const answer = await handlerOf(webhook).handle(post("/mutate-example-com-v1-box", text));
    expect(answer.status).toBe(200);
    expect("polluted" in {}).toBe(false);
    const { response } = (answer.body as unknown as { value: { response: Response } }).value;
    expect(patchIn(response)).toEqual([{ op: "add", path: "/spec/name", value: "x" }]);
  });
});

test("every webhook request is reported to the observer", async () => {
  const records: unknown[] = [];
  const webhook = defineWebhook(Box, { validate: (_box, ctx) => ctx.deny("no") });
  const observer = { began: (path: string) => (code: number) => void records.push([path, code]) };
  const handler = webhookHandler({ webhooks: [webhook, conversion] }, { clock, observer });
  const path = "/validate-example-com-v1-box";
  await handler.call(path, review());
  await handler.handle(post(path, "{}"));
  expect(records).toEqual([
    [path, 403],
    [path, 400],
  ]);
});
