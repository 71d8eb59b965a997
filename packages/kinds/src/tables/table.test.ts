import { existsSync, readFileSync } from "node:fs";
import { apiVersionOf, type GroupVersionKind, type JsonObject, type JsonValue } from "@kubewright/api";
import { discoveryGroups } from "@kubewright/api/type-info";
import { describe, expect, it } from "vitest";
import { CustomColumns, type PrinterColumn } from "./custom-table.js";
import { partialObjectMetadata, partialObjectMetadataList } from "./partial-metadata.js";
import { parseIncludeObject, type TableOptions, TableWriter, tableFor } from "./table.js";

const now = Date.parse("2026-01-01T01:00:00Z");
const created = "2026-01-01T00:59:00Z";
const age = "60s";

function options(gvk: GroupVersionKind, more: Partial<TableOptions> = {}): TableOptions {
  return { gvk, now, includeObject: "Metadata", version: "v1", ...more };
}

describe("a table", () => {
  const pod: GroupVersionKind = { group: "", version: "v1", kind: "Pod" };
  const object: JsonObject = { metadata: { name: "p", resourceVersion: "7" }, spec: {} };

  it("carries the metadata of its list, or the version of its only object", () => {
    const listMeta = { resourceVersion: "9", continue: "more" };
    expect(tableFor([object], options(pod, { listMeta }))).toMatchObject({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      metadata: listMeta,
    });
    expect(tableFor([object], options(pod))).toMatchObject({ metadata: { resourceVersion: "7" } });
    expect(tableFor([], options(pod, { listMeta }))).toMatchObject({ rows: [] });
  });

  it.each([
    ["None", null],
    [
      "Metadata",
      { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1beta1", metadata: object["metadata"] },
    ],
    ["Object", object],
  ] as const)("includes objects as asked: %s", (includeObject, included) => {
    const table = tableFor([object], options(pod, { includeObject, version: "v1beta1" }));
    expect(table["rows"]).toMatchObject([{ object: included }]);
  });

  it("omits an empty continue token", () => {
    const listMeta = { resourceVersion: "9", continue: "" };
    expect(tableFor([], options(pod, { listMeta }))["metadata"]).toEqual({ resourceVersion: "9" });
    expect(partialObjectMetadataList(listMeta, [])["metadata"]).toEqual({ resourceVersion: "9" });
  });

  it("sorts flow schemas by matching precedence", () => {
    const schema = (name: string, matchingPrecedence: number): JsonObject => ({
      metadata: { name },
      spec: { matchingPrecedence, priorityLevelConfiguration: { name: "l" } },
    });
    const gvk = { group: "flowcontrol.apiserver.k8s.io", version: "v1", kind: "FlowSchema" };
    const list = [schema("b", 2), schema("z", 1), schema("a", 2)];
    const { rows } = tableFor(list, options(gvk)) as { rows: { cells: JsonValue[] }[] };
    expect(rows.map(({ cells }) => cells[0])).toEqual(["z", "a", "b"]);
  });

  it("parses includeObject", () => {
    expect([null, "", "None", "Object"].map(parseIncludeObject)).toEqual([
      "Metadata",
      "Metadata",
      "None",
      "Object",
    ]);
    expect(() => parseIncludeObject("Some")).toThrow(
      "Unable to convert to Table as requested: includeObject: Invalid value: \"Some\": must be 'Metadata', 'Object', 'None', or empty",
    );
  });

  it("omits column definitions that were sent before", () => {
    expect(tableFor([object], options(pod, { withoutColumns: true }))["columnDefinitions"]).toBeNull();
  });

  it("has a cell for every column of every kind, even of an empty object", () => {
    const kinds = discoveryGroups().flatMap(({ metadata, versions }) =>
      versions.flatMap(({ version, resources }) =>
        resources.map(({ responseKind }) => ({
          group: metadata.name ?? "",
          version,
          kind: responseKind.kind,
        })),
      ),
    );
    for (const gvk of kinds) {
      const table = tableFor([{ metadata: {} }], options(gvk)) as {
        columnDefinitions: { name: string }[];
        rows: { cells: JsonValue[] }[];
      };
      const extra = gvk.kind === "IPAddress" ? 1 : 0;
      expect([gvk.kind, table.rows[0]!.cells.length]).toEqual([
        gvk.kind,
        table.columnDefinitions.length + extra,
      ]);
      expect(`${apiVersionOf(gvk)} ${table.columnDefinitions.map(({ name }) => name)}`).toMatch(/Name/);
    }
  });
});

describe("partial metadata", () => {
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels: { a: "b" } }, spec: {} };

  it("is the metadata and nothing else", () => {
    const partial = {
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: object.metadata,
    };
    expect(partialObjectMetadata(object)).toEqual(partial);
    expect(partialObjectMetadataList({ resourceVersion: "1" }, [object])).toEqual({
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: "1" },
      items: [partial],
    });
  });
});

describe("columns of custom kinds", () => {
  const gvk = { group: "example.com", version: "v1", kind: "Widget" };
  const custom = (stated: readonly PrinterColumn[], spec: JsonObject): JsonValue[] => {
    const columns = new CustomColumns(stated);
    const object = { metadata: { name: "w", creationTimestamp: created }, spec };
    const { rows } = tableFor([object], options(gvk, { columns })) as { rows: { cells: JsonValue[] }[] };
    return rows[0]!.cells;
  };

  it("show the age when none are stated", () => {
    const table = tableFor(
      [{ metadata: { name: "w", creationTimestamp: created } }],
      options(gvk, { columns: new CustomColumns([]) }),
    );
    expect(table["columnDefinitions"]).toMatchObject([
      { name: "Name", type: "string", format: "name", priority: 0 },
      { name: "Age", type: "date", format: "", priority: 0 },
    ]);
    expect(table["rows"]).toMatchObject([{ cells: ["w", age] }]);
  });

  it.each<[string, JsonValue, JsonValue]>([
    ["string", "text", "text"],
    ["string", 3, "3"],
    ["string", true, "true"],
    ["string", ["x", "y"], '["x","y"]'],
    ["string", { a: 1 }, '{"a":1}'],
    ["string", null, "<no value>"],
    ["integer", 3, 3],
    ["integer", 3.7, 3],
    ["integer", "3", null],
    ["number", 1.5, 1.5],
    ["number", "1.5", null],
    ["boolean", false, false],
    ["boolean", "true", null],
    ["date", created, age],
    ["date", "soon", "<invalid>"],
    ["date", 5, null],
  ])("of type %s show %j as %j", (type, value, cell) => {
    expect(custom([{ name: "X", type, jsonPath: ".spec.x" }], { x: value })).toEqual(["w", cell]);
  });

  it("are empty where the JSONPath finds nothing", () => {
    expect(custom([{ name: "X", type: "string", jsonPath: ".spec.y.z" }], {})).toEqual(["w", null]);
    expect(custom([{ name: "X", type: "string", jsonPath: "not a path" }], {})).toEqual(["w", null]);
  });

  it("are the same for a list that is printed row by row", () => {
    const columns = Array.from({ length: 2_000 }, (_, index) => ({
      name: `c${index}`,
      type: "string",
      jsonPath: [`.spec.a${index}`, ".spec.list[1]", "bad", ".metadata.name", "..x"][index % 5] ?? "",
    }));
    const objects = Array.from({ length: 30 }, (_, index) => ({
      metadata: { name: `w${index}` },
      spec: { a0: "a", list: [1, index], inner: { x: "deep" } },
    }));
    const of = options(gvk, { columns: new CustomColumns(columns), listMeta: { resourceVersion: "1" } });
    const writer = new TableWriter(objects, of);
    expect(writer.table(objects.map((object) => writer.row(object)))).toEqual(tableFor(objects, of));
  });
});

const recordings = new URL("../../../../../shared/golden/recordings/", import.meta.url);

describe.skipIf(!existsSync(recordings))("recorded tables of kube-apiserver", () => {
  const read = (folder: string) =>
    JSON.parse(readFileSync(new URL(`${folder}/tables-partial.json`, recordings), "utf8"));

  it("are printed the same for a custom kind", () => {
    const definition = read("scenarios").steps.find(
      ({ name }: { name: string }) => name === "create CRD cols",
    ).request.body;
    const step = (name: string) =>
      read("transcripts").steps.find((each: { name: string }) => each.name === name);
    const objects: JsonObject[] = [
      { spec: { size: 1, color: "red", on: true, tags: ["x", "y"], num: 1.5 } },
      { spec: { color: "blue", on: false } },
    ];
    const { body } = step("table list");
    const stored = objects.map((object, i) => ({ ...object, metadata: body.rows[i].object.metadata }));
    const gvk = { group: "g", version: "v1", kind: "Col" };
    const columns = new CustomColumns(definition.spec.versions[0].additionalPrinterColumns);
    const table = tableFor(stored, options(gvk, { columns, listMeta: body.metadata }));
    expect(table).toEqual(body);
  });

  it("have the same columns for pods, deployments and namespaces", () => {
    const wanted = { "pod table": "Pod", "deployment table": "Deployment", "namespace table": "Namespace" };
    for (const [name, kind] of Object.entries(wanted)) {
      const { selected } = read("transcripts").steps.find((step: { name: string }) => step.name === name);
      const gvk = { group: kind === "Deployment" ? "apps" : "", version: "v1", kind };
      const { columnDefinitions } = tableFor([], options(gvk)) as { columnDefinitions: { name: string }[] };
      expect(columnDefinitions.map((column) => column.name)).toEqual(selected["columnDefinitions[*].name"]);
    }
  });
});
