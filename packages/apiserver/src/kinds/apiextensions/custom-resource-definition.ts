// CustomResourceDefinitions. What they define is served by ../../crds.
import { type CustomResourceDefinition, deepEqual } from "@kubewright/api";
import { cleanupFinalizer } from "../../crds/definition-controller.js";
import type { NativeKind } from "../../registry/native-kinds.js";
import type { Draft, DraftObject } from "../../request/draft.js";

type Definition = Draft<CustomResourceDefinition>;

const asDefinition = (object: DraftObject): Definition => object as unknown as Definition;

export const customResourceDefinitions: NativeKind = {
  resource: "customresourcedefinitions.apiextensions.k8s.io",
  strategy: {
    applyDefaults(object) {
      const { spec } = asDefinition(object);
      if (!spec?.names) return;
      spec.names.singular ||= spec.names.kind?.toLowerCase();
      spec.names.listKind ||= `${spec.names.kind}List`;
      spec.conversion ??= { strategy: "None" };
    },
    prepareForCreate(object) {
      const definition = asDefinition(object);
      const stored = definition.spec.versions.filter(({ storage }) => storage).map(({ name }) => name);
      definition.status = { conditions: null as never, acceptedNames: { plural: "", kind: "" }, storedVersions: stored };
    },
    prepareForUpdate(object, old) {
      const definition = asDefinition(object);
      const before = old as unknown as CustomResourceDefinition;
      if (deepEqual(definition.spec, before.spec)) return;
      const stored = new Set(definition.status?.storedVersions ?? []);
      for (const { name, storage } of definition.spec.versions) if (storage) stored.add(name);
      if (definition.status) definition.status.storedVersions = [...stored];
    },
    deletionFinalizers: [cleanupFinalizer],
  },
};
