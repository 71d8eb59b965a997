// The messages between a cluster and the agent in the network of its process nodes.

/** A port of a Service, and where it leads. */
export interface ServicePort {
  readonly address: string;
  readonly port: number;
  readonly targets: readonly ServiceTarget[];
}

export interface ServiceTarget {
  readonly address: string;
  readonly port: number;
  /** Not in the network of the nodes: the cluster connects, and hands the connection over. */
  readonly isOutside: boolean;
}

/** The names of the cluster, in lower case and without the last dot. */
export interface NameTable {
  readonly addresses: Readonly<Record<string, readonly string[]>>;
  readonly services: Readonly<Record<string, readonly { readonly port: number; readonly target: string }[]>>;
  readonly aliases: Readonly<Record<string, string>>;
}

/** To the agent. `connected` comes with a socket where there is no error. */
export type ToAgent =
  | { readonly kind: "connect"; readonly id: number; readonly host: string; readonly port: number }
  | { readonly kind: "connected"; readonly id: number; readonly error?: string | undefined }
  | {
      readonly kind: "tables";
      readonly id: number;
      readonly ports: readonly ServicePort[];
      readonly names: NameTable;
    };

/** From the agent. `connected` comes with a socket where there is no error. */
export type FromAgent =
  | { readonly kind: "ready"; readonly pid: number }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "applied"; readonly id: number }
  | { readonly kind: "connect"; readonly id: number; readonly host: string; readonly port: number }
  | {
      readonly kind: "connected";
      readonly id: number;
      readonly error?: string | undefined;
      readonly code?: string | undefined;
    };

/** Where pods find the agent: their gateway, and their name server. */
export const gateway = "169.254.20.10";
/** Every address of a pod, and of a node. */
export const podRange = "10.244.0.0/14";
export const nodeRange = "172.18.0.0/16";
