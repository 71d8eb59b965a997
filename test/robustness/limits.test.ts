// As large, as deep and as many as a client can make it.
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { Target, Wire } from "./target.js";

const maps = "/api/v1/namespaces/default/configmaps";
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const jsonPatch = "application/json-patch+json";

describe("large patches", () => {
  const target = new Target();
  afterAll(() => target.close());

  beforeEach(async () => {
    await target.send({ method: "DELETE", path: `${maps}/p` });
    await target.must({ method: "POST", path: maps, object: { metadata: { name: "p" }, data: { a: "b" } } });
  });

  const patch = (operations: unknown[]) =>
    target.send({ method: "PATCH", path: `${maps}/p`, type: jsonPatch, bytes: JSON.stringify(operations) });

  test("of ten thousand operations are carried out", async () => {
    const added = await patch(many(10_000, (i) => ({ op: "add", path: `/data/k${i}`, value: "v" })));
    expect(added.status).toBe(200);
    const removed = await patch(many(10_000, (i) => ({ op: "remove", path: `/data/k${i}` })));
    expect(removed.status).toBe(200);
    expect(removed.body).toMatchObject({ value: { data: { a: "b" } } });
  });

  test.each<[what: string, operations: unknown[], status: number]>([
    ["one operation more", many(10_001, () => ({ op: "test", path: "/kind", value: "ConfigMap" })), 413],
    [
      "copies of copies",
      [
        { op: "add", path: "/x", value: ["x".repeat(1000)] },
        ...many(9999, () => ({ op: "copy", from: "/x", path: "/x/-" })),
      ],
      422,
    ],
    [
      "items before all others",
      [{ op: "add", path: "/x", value: [] }, ...many(9999, () => ({ op: "add", path: "/x/0", value: 1 }))],
      200,
    ],
    ["a pointer of a million steps", [{ op: "add", path: "/a".repeat(1_000_000), value: 1 }], 422],
    ["comparisons of everything", many(10_000, () => ({ op: "test", path: "", value: {} })), 422],
  ])("are bounded: %s", async (_, operations, status) => {
    const started = performance.now();
    expect((await patch(operations)).status).toBe(status);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe("deep nesting", () => {
  const depths = [100_000, 1000, 513];
  const texts = depths.flatMap((depth): [string, string][] => [
    [`${depth} objects`, `{"metadata":{"name":"d"},"x":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`],
    [`${depth} lists`, `{"metadata":{"name":"d"},"x":${"[".repeat(depth)}${"]".repeat(depth)}}`],
    [`${depth} objects without end`, '{"a":'.repeat(depth)],
  ]);
  const target = new Target();
  afterAll(() => target.close());

  test.each(texts)("of %s is refused as JSON, YAML and patches", async (_, bytes) => {
    for (const type of ["application/json", "application/yaml"])
      expect((await target.send({ method: "POST", path: maps, type, bytes })).status).toBe(400);
    for (const type of ["merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"]) {
      const sent = {
        method: "PATCH",
        path: `${maps}/none`,
        type: `application/${type}`,
        query: "fieldManager=m",
        bytes,
      } as const;
      expect((await target.send(sent)).status).toBeOneOf([400, 404]);
    }
  });

  test("in objects that were never text is refused too", async () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) value = [value];
    const { status } = await target.send({
      method: "POST",
      path: maps,
      object: { metadata: { name: "d" }, value },
    });
    expect(status).toBe(400);
    const circle: Record<string, unknown> = { metadata: { name: "c" } };
    circle["self"] = circle;
    expect((await target.send({ method: "POST", path: maps, object: circle })).status).toBe(400);
  });

  test("in protobuf is refused", async () => {
    const type = "application/vnd.kubernetes.protobuf";
    for (const byte of [0x0a, 0x0b, 0xff]) {
      const bytes = Buffer.concat([Buffer.from("k8s\0"), Buffer.alloc(1_000_000, byte)]);
      expect((await target.send({ method: "POST", path: maps, type, bytes })).status).toBe(400);
    }
  });

  test("over TLS is refused, and the connection goes on", async () => {
    const wire = await Wire.start();
    try {
      const options = { method: "POST", headers: { "content-type": "application/json" } };
      expect((await wire.call(maps, options, "[".repeat(1_000_000))).status).toBe(400);
      const { status, connection } = await wire.call(maps, options, '{"metadata":{"name":"ok"}}');
      expect(status).toBe(201);
      expect(connection).toBe("keep-alive");
    } finally {
      await wire.close();
    }
  });
});

describe("long documents", () => {
  const target = new Target();
  afterAll(() => target.close());

  test.each<[what: string, type: string, bytes: string, status?: number]>([
    [
      "aliases of aliases",
      "application/yaml",
      `a: &a [x,x,x,x,x,x,x,x,x]\n${[..."bcdefghijk"].map((c, i, all) => `${c}: &${c} [${many(9, () => `*${all[i - 1] ?? "a"}`).join(",")}]`).join("\n")}`,
    ],
    [
      "a hundred thousand aliases",
      "application/yaml",
      `a: &a x\ndata:\n${many(100_000, (i) => ` k${i}: *a\n`).join("")}`,
    ],
    [
      "a megabyte of YAML",
      "application/yaml",
      `kind: ConfigMap\ndata:\n${many(50_000, (i) => `  k${i}: "value ${i}"\n`).join("")}`,
    ],
    ["a number of two million digits", "application/json", `{"data":{"a":${"9".repeat(2_000_000)}}}`],
    ["half a million empty lists", "application/json", `{"data":[${"[],".repeat(500_000)}1]}`],
  ])("are refused in good time: %s", async (_, type, bytes, status = 400) => {
    const started = performance.now();
    expect((await target.send({ method: "POST", path: maps, type, bytes })).status).toBe(status);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe("bodies beyond three mebibytes", () => {
  let wire: Wire;
  beforeEach(async () => {
    wire = await Wire.start();
  });
  afterEach(() => wire.close());

  const options = { method: "POST", headers: { "content-type": "application/json" } };
  const large = (bytes: number): string => `{"metadata":{"name":"l"},"data":{"a":"${"x".repeat(bytes)}"}}`;

  test.each([3.2, 20])("of %f MB are refused with 413", async (megabytes) => {
    const { status, text } = await wire.call(maps, options, large(megabytes * 1024 * 1024));
    expect(status).toBe(413);
    expect(JSON.parse(text)).toMatchObject({ kind: "Status", reason: "RequestEntityTooLarge" });
    expect((await wire.call(maps, options, '{"metadata":{"name":"ok"}}')).status).toBe(201);
  });

  test("are refused before their end", async () => {
    const answer = await wire.open(maps, options, (sent) => {
      sent.setHeader("transfer-encoding", "chunked");
      sent.write(large(4 * 1024 * 1024));
      // More is to come, but never does.
      return sent;
    });
    expect(answer.statusCode).toBe(413);
    answer.destroy();
  });

  test("are not read at all where nobody wants them", async () => {
    const { status } = await wire.call(
      "/version",
      { method: "GET", headers: { "content-length": "10000000" } },
      "x".repeat(10_000_000),
    );
    expect(status).toBe(200);
  });
});
