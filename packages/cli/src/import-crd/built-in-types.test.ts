// Definitions that embed built-in types, in the form that Go tooling writes.
import type { CustomResourceDefinition } from "@kubewright/api";
import { embeddedSchema } from "@kubewright/api/type-info";
import { defineResource, kube, z } from "@kubewright/schema";
import { describe, expect, test } from "vitest";
import { builtInSchemas } from "./built-in-types.js";
import { checkedCrd } from "./checked-crd.js";
import { definitionSource } from "./definition-source.js";
import type { Schema } from "./schema-shape.js";
import { comparable } from "./testing/crd-essence.js";
import { loadDefinition } from "./testing/load-definition.js";
import { withoutBuiltInTexts } from "./testing/without-texts.js";

const core = (name: string): Schema => described(embeddedSchema(`io.k8s.api.core.v1.${name}`), name);

/** A text on every field, as Go tooling writes them. */
function described(schema: Schema, text: string): Schema {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, field]) => [name, described(field, `${name} of\n${text}`)] as const,
  );
  const items = schema.items as Schema | undefined;
  return {
    description: text,
    ...schema,
    ...(schema.properties ? { properties: Object.fromEntries(fields) } : {}),
    ...(items ? { items: described(items, `item of ${text}`) } : {}),
  };
}

/** The schema with something else at a path of fields; `[]` are the items of a list. */
function changed(schema: Schema, path: string, change: (schema: Schema) => Schema | undefined): Schema {
  const [step, ...rest] = path.split(".");
  if (!step) return change(schema) ?? schema;
  const inner = (child: Schema) =>
    rest.length === 0 ? change(child) : changed(child, rest.join("."), change);
  if (step === "[]") return { ...schema, items: inner(schema.items as Schema) };
  const { [step]: child, ...others } = schema.properties ?? {};
  const replaced = child && inner(child);
  return { ...schema, properties: replaced ? { ...others, [step]: replaced } : others };
}

const crdOf = (fields: Readonly<Record<string, Schema>>): CustomResourceDefinition => ({
  spec: {
    group: "example.com",
    names: { kind: "Runner", plural: "runners" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: fields } } },
        },
      },
    ],
  },
});

/** Imports a definition, and compares the one that the module makes. */
function imported(fields: Readonly<Record<string, Schema>>) {
  const crd = crdOf(fields);
  const result = definitionSource(checkedCrd(crd), "a file");
  const again = loadDefinition(
    result.source.replace("version:", "serverSideApply: true, version:"),
    "Runner",
  );
  return {
    ...result,
    before: comparable(withoutBuiltInTexts(crd, result.builtIns)),
    after: comparable(withoutBuiltInTexts(again, result.builtIns)),
  };
}

describe("import crd", () => {
  test("a pod template of thousands of lines is referred to, and means the same", () => {
    const template = core("PodTemplateSpec");
    const { source, before, after, notes } = imported({
      template: { ...template, description: "What\nruns." },
    });
    expect(source).toContain('template: kube.PodTemplateSpec.optional().describe("What\\nruns.")');
    expect(source.split("\n").length).toBeLessThan(20);
    expect(after).toEqual(before);
    expect(notes).toEqual(["The texts inside built-in types (kube.…) are left out"]);
  });

  test.each([
    ["affinity", "Affinity"],
    ["container", "Container"],
    ["env", "EnvVar"],
    ["volume", "Volume"],
    ["resources", "ResourceRequirements"],
    ["probe", "Probe"],
    ["securityContext", "SecurityContext"],
    ["podSecurityContext", "PodSecurityContext"],
    ["toleration", "Toleration"],
    ["credentials", "LocalObjectReference"],
    ["passwordSecretRef", "SecretKeySelector"],
    ["settingsConfigMap", "ConfigMapKeySelector"],
    ["podAntiAffinity", "PodAntiAffinity"],
    ["podAffinity", "PodAffinity"],
    ["claim", "PersistentVolumeClaimSpec"],
  ])("%s is a %s", (field, type) => {
    const { source, before, after } = imported({ [field]: core(type) });
    expect(source).toContain(`${field}: kube.${type}.optional()`);
    expect(after).toEqual(before);
  });

  test("lists and maps of built-in types keep how they are merged; amounts and ports are scalars of kube", () => {
    const items = core("Toleration");
    const { source, before, after } = imported({
      conditions: {
        type: "array",
        items: embeddedSchema("io.k8s.apimachinery.pkg.apis.meta.v1.Condition"),
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
      },
      byZone: {
        type: "object",
        additionalProperties: { type: "array", items, "x-kubernetes-list-type": "atomic" },
      },
      size: embeddedSchema("io.k8s.apimachinery.pkg.api.resource.Quantity"),
      port: embeddedSchema("io.k8s.apimachinery.pkg.util.intstr.IntOrString"),
      selector: embeddedSchema("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"),
      labels: embeddedSchema("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
    });
    expect(source).toContain('conditions: kube.listMap(kube.Condition, ["type"]).optional()');
    expect(source).toMatch(/byZone: z\.record\(z\.string\(\), kube\.listAtomic\(kube\.Toleration\.describe/);
    expect(source).toContain("size: kube.quantity().optional()");
    expect(source).toContain("port: kube.intOrString().optional()");
    expect(source).toContain("selector: kube.LabelSelector.optional()");
    expect(source).toContain("labels: kube.ObjectMeta.optional()");
    expect(after).toEqual(before);
  });

  test("rules, defaults and null around a built-in type stay", () => {
    const { source, before, after } = imported({
      resources: {
        ...core("ResourceRequirements"),
        nullable: true,
        "x-kubernetes-validations": [{ rule: "!has(self.claims)", message: "no claims" }],
      },
      pull: { ...core("LocalObjectReference"), default: { name: "registry" } },
    });
    expect(source).toContain(
      'kube.ResourceRequirements.nullable().check(rule("!has(self.claims)", "no claims"))',
    );
    expect(source).toContain('kube.LocalObjectReference.prefault({ name: "registry" })');
    expect(after).toEqual(before);
  });

  test.each<[string, string, Schema, string]>([
    ["a pattern", "image", { pattern: "^registry/" }, "image.pattern"],
    ["an enumeration", "imagePullPolicy", { enum: ["Always"] }, "imagePullPolicy.enum"],
    ["a limit", "ports", { maxItems: 3 }, "ports.maxItems"],
    ["a default", "workingDir", { default: "/work" }, "workingDir.default"],
    [
      "a rule",
      "resources",
      { "x-kubernetes-validations": [{ rule: "true" }] },
      "resources.x-kubernetes-validations",
    ],
    ["another type", "tty", { type: "string" }, "tty.type"],
  ])(
    "%s that the built-in type does not have: the part is written out, and says why",
    (_, path, more, why) => {
      const runner = changed(core("Container"), path, (schema) => ({ ...schema, ...more }));
      const { source, before, after, notes } = imported({ runner });
      const note = `v1.spec.runner is not the built-in Container because of ${why}, and is written out`;
      expect(source).not.toContain("kube.Container.");
      expect(source).toContain("livenessProbe: kube.Probe.optional()");
      expect(notes).toContain(note);
      expect(source).toContain(`// ${note}.`);
      expect(after).toEqual(before);
    },
  );

  test("metadata without fields, as Go tooling writes it by default, stays so: labels there are dropped by the server", () => {
    const template = changed(core("PodTemplateSpec"), "metadata", () => ({ type: "object" }));
    const claim = "spec.volumes.[].ephemeral.volumeClaimTemplate.metadata";
    const { source } = imported({ template: changed(template, claim, () => ({ type: "object" })) });
    expect(source).toContain("metadata: z.object({}).optional()");
    expect(source).toMatch(/spec: kube\.PodSpec\.optional\(\)/);
  });

  test("a definition made for an earlier Kubernetes: the type is recognised, and the fields it has got since are named", () => {
    const older = ["spec.hostnameOverride", "spec.resources", "spec.containers.[].restartPolicyRules"].reduce(
      (schema, path) => changed(schema, path, () => undefined),
      core("PodTemplateSpec"),
    );
    const { source, notes } = imported({ template: older });
    expect(source).toContain("template: kube.PodTemplateSpec.optional()");
    expect(notes.join()).toContain("v1.spec.template is a PodTemplateSpec, which has ");
    expect(notes.join()).toContain("spec.hostnameOverride");
  });

  test.each<[string, Schema]>([
    ["a single field", { type: "object", properties: { name: { type: "string" } } }],
    ["a field of DeploymentStrategy", { type: "object", properties: { type: { type: "string" } } }],
    [
      "other fields",
      {
        type: "object",
        properties: { name: { type: "string" }, colour: { type: "string" }, size: { type: "integer" } },
      },
    ],
  ])("%s is no built-in type", (_, schema) => {
    const { source, before, after, notes } = imported({ it: schema });
    expect(source).not.toContain("kube.");
    expect(notes).toEqual([]);
    expect(after).toEqual(before);
  });

  test("types that several groups have are those of kube", () => {
    const fields = { Subject: kube.Subject, CrossVersionObjectReference: kube.CrossVersionObjectReference };
    const options = { group: "example.com", version: "v1", kind: "Thing", spec: z.object(fields) };
    const schema = defineResource(options).crd().spec.versions[0]?.schema?.openAPIV3Schema;
    for (const [name, field] of Object.entries(schema?.properties?.["spec"]?.properties ?? {}))
      expect(builtInSchemas().get(name)).toEqual(field);
    expect(builtInSchemas().size).toBe(Object.keys(kube).filter((name) => /^[A-Z]/.test(name)).length);
  });
});
