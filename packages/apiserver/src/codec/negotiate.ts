// Which representation of a response a client gets.
import type { GroupVersionKind } from "@kubewright/api";

/** The encoding of a response and what it should be turned into first. */
export interface Negotiated {
  readonly mediaType: "application/json" | "application/yaml";
  /** What the object is converted into: `Table`, `PartialObjectMetadata`, `APIGroupDiscoveryList`, … */
  readonly as: GroupVersionKind | undefined;
  readonly pretty: boolean;
  /** The `content-type` header of the response, parameters included. */
  readonly contentType: string;
}

export interface NegotiateOptions {
  /** Whether the endpoint can answer in this form; a clause that asks for one it cannot is skipped. */
  allows(as: GroupVersionKind): boolean;
  /** A watch: only streaming types count. */
  readonly stream?: boolean | undefined;
  /** `?pretty=` and the user agent decide on indentation as the real server does. */
  readonly pretty?: string | null | undefined;
  readonly userAgent?: string | undefined;
}

/** Reads an Accept header. Throws ApiError 406 when nothing in it can be served. */
export function negotiate(_accept: string | undefined, _options: NegotiateOptions): Negotiated {
  throw new Error("not implemented yet");
}

/** Forms every resource endpoint can answer in: Table and PartialObjectMetadata(List), v1 and v1beta1. */
export function allowsMetaForms(_as: GroupVersionKind): boolean {
  throw new Error("not implemented yet");
}
