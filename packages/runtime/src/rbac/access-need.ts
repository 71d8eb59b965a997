/** One thing that must be allowed. */
export interface AccessNeed {
  readonly group: string;
  /** With its subresource, as RBAC writes it: `deployments/status`. */
  readonly resource: string;
  readonly verbs: readonly string[];
  /** Where; everywhere if undefined. */
  readonly namespaces: readonly string[] | undefined;
  /** Only these objects; all if undefined. */
  readonly names?: readonly string[] | undefined;
}
