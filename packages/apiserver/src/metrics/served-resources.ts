/** A resource, as metrics name it. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly custom: boolean;
  readonly subresources: ReadonlyMap<string, unknown>;
  /** The table its objects are stored in. */
  readonly storage: string;
}

/** The resources a server has right now. */
export interface ServedResources {
  find(group: string, version: string, plural: string): ServedResource | undefined;
  all(): Iterable<ServedResource>;
}
