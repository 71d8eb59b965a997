// The tables that hold CRDs and their custom resources.

/** The table of CustomResourceDefinitions. */
export const crdTable = "apiextensions.k8s.io/customresourcedefinitions";

/** The table of a CRD's resources; never that of a built-in resource of the same name. */
export const customTable = (group: string, plural: string): string => `custom/${group}/${plural}`;
