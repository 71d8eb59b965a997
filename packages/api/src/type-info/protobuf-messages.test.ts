import { describe, expect, it } from "vitest";
import { builtinResources } from "../generated/builtin-resources.js";
import { protobufMessage, protobufMessageOf } from "./protobuf-messages.js";

const scalarTypes = new Set(["string", "bytes", "bool", "int32", "int64", "double"]);

describe("protobufMessage", () => {
  it("reads scalars, repeated fields, maps and messages", () => {
    const fields = protobufMessage("k8s.io.api.core.v1.Container") ?? [];
    const named = (name: string) => fields.find((field) => field.jsonName === name);
    expect(named("name")).toMatchObject({ number: 1, type: "string", repeated: false, presence: "value!" });
    expect(named("ports")).toMatchObject({
      number: 6,
      type: "k8s.io.api.core.v1.ContainerPort",
      repeated: true,
    });
    const meta = protobufMessage("k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta") ?? [];
    expect(meta.find((field) => field.jsonName === "labels")).toMatchObject({
      mapKey: "string",
      type: "string",
      presence: "collection",
    });
  });

  it("gives inlined messages no JSON name", () => {
    const inlined = protobufMessage("k8s.io.api.core.v1.Volume")?.find(
      (field) => field.presence === "inline",
    );
    expect(inlined).toMatchObject({ jsonName: null, type: "k8s.io.api.core.v1.VolumeSource" });
  });

  it("keeps protobuf names where the JSON has another form", () => {
    const names = (message: string) =>
      protobufMessage(`k8s.io.apimachinery.pkg.${message}`)?.map((field) => field.jsonName);
    expect(names("util.intstr.IntOrString")).toEqual(["type", "intVal", "strVal"]);
    expect(names("apis.meta.v1.Time")).toEqual(["seconds", "nanos"]);
    expect(names("runtime.RawExtension")).toEqual(["raw"]);
  });

  it("knows every message that a built-in kind is made of", () => {
    const seen = new Set<string>();
    const visit = (name: string): void => {
      if (seen.has(name) || scalarTypes.has(name)) return;
      seen.add(name);
      const fields = protobufMessage(name);
      if (fields === undefined) throw new Error(`no message ${name}`);
      for (const field of fields) visit(field.type);
    };
    for (const resource of builtinResources) visit(String(protobufMessageOf(resource)));
    expect(seen.size).toBeGreaterThan(400);
  });
});

describe("protobufMessageOf", () => {
  it.each([
    ["apps", "v1", "Deployment", "k8s.io.api.apps.v1.Deployment"],
    ["", "v1", "PodList", "k8s.io.api.core.v1.PodList"],
    ["policy", "v1", "DeleteOptions", "k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions"],
    ["admission.k8s.io", "v1", "AdmissionReview", "k8s.io.api.admission.v1.AdmissionReview"],
    [
      "meta.k8s.io",
      "v1",
      "PartialObjectMetadata",
      "k8s.io.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata",
    ],
    [
      "apiextensions.k8s.io",
      "v1",
      "CustomResourceDefinition",
      "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
    ],
    ["example.com", "v1", "Thing", undefined],
    ["apps", "v1", "ObjectMeta", undefined],
  ])("of %s/%s %s", (group, version, kind, expected) => {
    expect(protobufMessageOf({ group, version, kind })).toBe(expected);
  });
});
