/** The projects one can start from. */
export const projectTemplates = ["minimal", "app"] as const;
