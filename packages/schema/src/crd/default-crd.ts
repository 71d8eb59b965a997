// Defaulting of CustomResourceDefinitions.
import type { CustomResourceConversion, CustomResourceDefinition } from "@kubewright/api";
import { storedVersions } from "./stored-versions.js";

/** A copy with the defaults the server fills in: singular and list names, conversion, stored versions. */
export function defaultCustomResourceDefinition(crd: CustomResourceDefinition): CustomResourceDefinition {
  const { spec, status } = crd;
  const names = spec.names ?? {};
  const kind = names.kind ?? "";
  const stored = status?.storedVersions?.length ? status.storedVersions : storedVersions(crd);
  return {
    ...crd,
    spec: {
      ...spec,
      names: {
        ...names,
        singular: names.singular || kind.toLowerCase(),
        ...(names.listKind || kind === "" ? {} : { listKind: `${kind}List` }),
      },
      conversion: defaultConversion(spec.conversion),
    },
    ...(stored.length === 0 ? {} : { status: { ...status, storedVersions: stored } }),
  };
}

function defaultConversion(conversion: CustomResourceConversion | undefined): CustomResourceConversion {
  if (conversion === undefined) return { strategy: "None" };
  const config = conversion.webhook?.clientConfig;
  if (conversion.webhook === undefined || config?.service === undefined || config.service.port !== undefined)
    return conversion;
  const clientConfig = { ...config, service: { ...config.service, port: 443 } };
  return { ...conversion, webhook: { ...conversion.webhook, clientConfig } };
}
