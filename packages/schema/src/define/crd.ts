// Assembles the CustomResourceDefinition from the names of a kind and its converted versions.
import type {
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  WebhookClientConfig,
} from "@kubewright/api";
import { trimDescriptions } from "./descriptions.js";
import { pluralOf } from "./plural.js";
import type { CrdOptions, ResourceNames } from "./resource-options.js";
import { singularOf } from "./singular.js";

type Names = ResourceNames<string, string, string>;

/** The placeholder of the webhook service, which kustomize or a manager replaces. */
const placeholder: WebhookClientConfig = {
  service: { namespace: "system", name: "webhook-service", path: "/convert" },
};

/** The CustomResourceDefinition of a kind. */
export function assembleCrd(
  names: Names,
  versions: readonly CustomResourceDefinitionVersion[],
  options: CrdOptions = {},
): CustomResourceDefinition {
  const plural = names.plural ?? pluralOf(names.kind);
  const conversion = conversionOf(names, options);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${names.group}`,
      ...(names.labels === undefined ? {} : { labels: names.labels }),
      ...(names.annotations === undefined ? {} : { annotations: names.annotations }),
    },
    spec: {
      group: names.group,
      names: {
        kind: names.kind,
        listKind: names.listKind ?? `${names.kind}List`,
        plural,
        singular: names.singular ?? singularOf(names.kind, names.group),
        ...(names.shortNames?.length ? { shortNames: names.shortNames } : {}),
        ...(names.categories?.length ? { categories: names.categories } : {}),
      },
      scope: names.scope ?? "Namespaced",
      versions: trimDescriptions(versions),
      ...(conversion === undefined ? {} : { conversion }),
    },
  };
}

function conversionOf(names: Names, options: CrdOptions): CustomResourceConversion | undefined {
  const { conversion } = names;
  if (conversion === undefined) return undefined;
  if (conversion === "none") return { strategy: "None" };
  if (conversion !== "webhook") return conversion;
  return {
    strategy: "Webhook",
    webhook: {
      conversionReviewVersions: ["v1"],
      clientConfig: options.conversionWebhook ?? placeholder,
    },
  };
}
