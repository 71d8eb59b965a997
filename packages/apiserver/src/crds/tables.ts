// Where definitions and what they define are stored.

/** The table of CustomResourceDefinitions. */
export const definitionsTable = "apiextensions.k8s.io/customresourcedefinitions";

/** The table the resources of a definition are stored in; never that of a built-in resource of the same name. */
export const customTable = (group: string, plural: string): string => `custom/${group}/${plural}`;
