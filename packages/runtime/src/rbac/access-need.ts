/** A permission that is needed. */
export interface AccessNeed {
  readonly group: string;
  /** With its subresource, as RBAC writes it: `deployments/status`. */
  readonly resource: string;
  readonly verbs: readonly string[];
  /** The namespaces; everywhere if undefined. */
  readonly namespaces: readonly string[] | undefined;
  /** Only these objects; all if undefined. */
  readonly names?: readonly string[] | undefined;
}
