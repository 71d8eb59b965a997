/** The tools of a scaffolded project, in the versions Kubewright itself is tested with. */
export const toolVersions = {
  biomeVersion: "2.5.15",
  nodeTypesVersion: "20.19.43",
  typescriptVersion: "7.0.2",
  vitestVersion: "4.1.12",
} as const;
