import { ApiError } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { allowsMetaForms, listTypes, negotiate } from "./negotiate.js";

const protobuf = "application/vnd.kubernetes.protobuf";
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const ask = (accept: string | undefined, stream = false) =>
  negotiate(accept, { allows: allowsMetaForms, produces: listTypes, stream, serverVersion: "v1" });
const refusal = (accept: string, stream = false): ApiError => {
  try {
    ask(accept, stream);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`${accept} was accepted`);
};

describe("negotiating a representation", () => {
  it.each([
    [undefined, "application/json", undefined],
    ["", "application/json", undefined],
    ["*/*", "application/json", undefined],
    ["application/json, */*", "application/json", undefined],
    ["application/yaml", "application/yaml", undefined],
    ["application/json;q=0.5, application/yaml", "application/yaml", undefined],
    ["text/html, application/json;q=0.9", "application/json", undefined],
    [protobuf, protobuf, undefined],
    [`${protobuf},application/json`, protobuf, undefined],
    [`application/json,${protobuf}`, "application/json", undefined],
    [`application/json;q=0.1,${protobuf};q=0.2`, protobuf, undefined],
    [`${protobuf};as=Table;v=v1;g=meta.k8s.io,application/json`, "application/json", undefined],
    ["application/json;sv=v1", "application/json", undefined],
    [",application/json", "application/json", undefined],
    ["application/json;q=0", "application/json", undefined],
    ["*/*;as=Table;v=v1;g=meta.k8s.io", "application/json", "Table"],
    [table, "application/json", "Table"],
    [
      `${table},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`,
      "application/json",
      "Table",
    ],
    ["application/json;as=Table;v=v9;g=meta.k8s.io,application/json", "application/json", undefined],
    [
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
      "application/json",
      "PartialObjectMetadataList",
    ],
    ["application/json;stream=watch", "application/json", undefined],
    [
      `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json`,
      protobuf,
      "PartialObjectMetadata",
    ],
  ])("answers %j with %s as %s", (accept, mediaType, kind) => {
    const negotiated = ask(accept);
    expect([negotiated.mediaType, negotiated.as?.kind]).toEqual([mediaType, kind]);
  });

  it.each(["text/html", "application/*", "*", "application", "application/json/x", "application/JSON"])(
    "refuses %s, listing the types there are",
    (accept) => {
      expect(refusal(accept)).toMatchObject({
        code: 406,
        reason: "NotAcceptable",
        message:
          "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
      });
    },
  );

  it.each([
    ["application/json;as=Table;v=v9;g=meta.k8s.io", false],
    [`${protobuf};as=Table;v=v1;g=meta.k8s.io`, false],
    ["application/json;stream=other", false],
    ["application/yaml;stream=watch", true],
    ["application/json;sv=v2", false],
  ])("refuses %s", (accept, stream) => {
    expect(refusal(accept, stream).message).toBe(
      "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    );
  });

  it("does not stream YAML", () => {
    expect(refusal("application/yaml", true).message).toBe(
      "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
    );
    expect(refusal("application/yaml, application/json;q=0.1", true).message).toContain(";stream=watch");
  });

  it("names the stream of protobuf in the content type, and not that of JSON", () => {
    expect(ask(protobuf, true).contentType).toBe(`${protobuf};stream=watch`);
    expect(ask("application/json;stream=watch", true).contentType).toBe("application/json");
  });

  it("takes types by pattern where no route asks for one by name", () => {
    expect(negotiate("application/*", { allows: allowsMetaForms }).mediaType).toBe("application/json");
    expect(negotiate("*", { allows: allowsMetaForms }).mediaType).toBe("application/json");
  });

  it("names discovery documents in the content type", () => {
    const asked = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const negotiated = negotiate(`${asked},application/json;q=0.9`, {
      allows: (_type, as) => as?.kind === "APIGroupDiscoveryList",
    });
    expect(negotiated.contentType).toBe(asked);
    expect(ask(table).contentType).toBe("application/json");
  });

  it.each([
    [{ pretty: "true" }, true],
    [{ pretty: "false", userAgent: "curl/8" }, false],
    [{ userAgent: "curl/8.5.0" }, true],
    [{ userAgent: "kubectl/v1.36" }, false],
    [{}, false],
  ])("indents for people: %j", (options, pretty) => {
    expect(negotiate("application/json", { allows: () => false, ...options }).pretty).toBe(pretty);
  });
});
