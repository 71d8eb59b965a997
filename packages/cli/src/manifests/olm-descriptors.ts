// What a console shows about a kind: its fields by their paths, with what the schema says about them.
import type { JSONSchemaProps } from "@kubewright/api";
import type { CustomKind } from "@kubewright/runtime";

interface Descriptor {
  readonly path: string;
  readonly displayName: string;
  readonly description: string;
  readonly "x-descriptors"?: readonly string[];
}

/** A kind in each of its versions, as a ClusterServiceVersion owns it. */
export function ownedKinds(kind: CustomKind) {
  const { metadata, spec } = kind.crd();
  return spec.versions.map(({ name, schema }) => {
    const { properties = {}, description } = schema?.openAPIV3Schema ?? {};
    return {
      name: metadata?.name ?? "",
      kind: kind.kind,
      version: name,
      displayName: spaced(kind.kind),
      description: description ?? `${spaced(kind.kind)} as ${kind.group} has it`,
      specDescriptors: descriptors(properties["spec"]),
      statusDescriptors: descriptors(properties["status"]),
    };
  });
}

function descriptors(schema: JSONSchemaProps | undefined): readonly Descriptor[] {
  return Object.entries(schema?.properties ?? {})
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, { description = "", ...rest }]) => {
      const hint = hints(path, rest);
      const displayName = spaced(path);
      return {
        path,
        displayName,
        description: description || displayName,
        ...(hint ? { "x-descriptors": [hint] } : {}),
      };
    });
}

const ui = "urn:alm:descriptor:com.tectonic.ui";

function hints(path: string, { type }: JSONSchemaProps): string | undefined {
  if (path === "replicas") return `${ui}:podCount`;
  if (path === "resources") return `${ui}:resourceRequirements`;
  if (path === "conditions") return "urn:alm:descriptor:io.kubernetes.conditions";
  if (type === "boolean") return `${ui}:booleanSwitch`;
  if (type === "integer" || type === "number") return `${ui}:number`;
  return type === "string" ? `${ui}:text` : undefined;
}

/** `rollingUpdate` → `Rolling Update`. */
function spaced(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
