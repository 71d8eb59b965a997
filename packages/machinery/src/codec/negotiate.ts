// Which representation of a response a client gets. Protobuf is read but never written: clients that accept nothing
// else are refused, all others get JSON.
import { ApiError, type GroupVersionKind } from "@kubewright/api";
import { type AcceptClause, parseAccept } from "./accept.js";
import { bodyEncodings } from "./media-type.js";

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
  /** `?pretty=` and the user agent decide on indentation as in kube-apiserver. */
  readonly pretty?: string | null | undefined;
  readonly userAgent?: string | undefined;
}

type Written = Negotiated["mediaType"];

const written: readonly Written[] = ["application/json", "application/yaml"];
const streamed = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

/** Reads an Accept header. Throws ApiError 406 when nothing in it can be served. */
export function negotiate(accept: string | undefined, options: NegotiateOptions): Negotiated {
  const pretty = wantsPretty(options);
  if (!accept || accept === "application/json") return plain("application/json", pretty);
  const clauses = parseAccept(accept);
  for (const clause of clauses) {
    const found = serve(clause, options, pretty);
    if (found) return found;
  }
  if (!clauses.some(namesKnownType)) throw noRepresentation();
  throw notAccepted(options.stream ? streamed : bodyEncodings);
}

/** Forms every resource endpoint can answer in: Table and PartialObjectMetadata(List), v1 and v1beta1. */
export function allowsMetaForms({ group, version, kind }: GroupVersionKind): boolean {
  if (group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return false;
  return kind === "Table" || kind === "PartialObjectMetadata" || kind === "PartialObjectMetadataList";
}

function serve(clause: AcceptClause, options: NegotiateOptions, pretty: boolean): Negotiated | undefined {
  const mediaType = written.find((type) => matches(clause, type));
  if (mediaType === undefined) return undefined;
  const { parameters } = clause;
  const stream = parameters.get("stream");
  if (stream !== undefined && stream !== "" && stream !== "watch") return undefined;
  if ((options.stream || stream) && mediaType !== "application/json") return undefined;
  if (parameters.get("sv")) return undefined;
  const as = conversion(parameters);
  if (as !== undefined && !options.allows(as)) return undefined;
  return {
    ...plain(mediaType, pretty || parameters.get("pretty") === "1"),
    as,
    contentType: contentType(mediaType, as),
  };
}

function plain(mediaType: Written, pretty: boolean): Negotiated {
  return { mediaType, as: undefined, pretty, contentType: mediaType };
}

/** Tables and metadata are announced by their content; discovery documents by their type. */
function contentType(mediaType: Written, as: GroupVersionKind | undefined): string {
  if (as?.group !== "apidiscovery.k8s.io") return mediaType;
  return `${mediaType};g=${as.group};v=${as.version};as=${as.kind}`;
}

function conversion(parameters: ReadonlyMap<string, string>): GroupVersionKind | undefined {
  const kind = parameters.get("as");
  const group = parameters.get("g");
  const version = parameters.get("v");
  if (kind === undefined && group === undefined && version === undefined) return undefined;
  return { group: group ?? "", version: version ?? "", kind: kind ?? "" };
}

function matches({ type, subtype }: AcceptClause, mediaType: string): boolean {
  if (type === "*") return subtype === "*";
  const slash = mediaType.indexOf("/");
  return type === mediaType.slice(0, slash) && (subtype === "*" || subtype === mediaType.slice(slash + 1));
}

function namesKnownType(clause: AcceptClause): boolean {
  return bodyEncodings.some((mediaType) => matches(clause, mediaType));
}

/** People at a terminal or a browser get indented JSON. */
function wantsPretty({ pretty, userAgent }: NegotiateOptions): boolean {
  if (pretty) return /^(1|t|T|true|True|TRUE)$/.test(pretty);
  return userAgent !== undefined && /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}

/** No type of the header is known at all. */
function noRepresentation(): ApiError {
  const available = [...bodyEncodings, ...streamed].join(", ");
  return new ApiError(`406: Not Acceptable\n\nAvailable representations: ${available}`, {
    code: 406,
    reason: "NotAcceptable",
    details: {},
  });
}

/** The types are known, what is asked of them is not. */
function notAccepted(types: readonly string[]): ApiError {
  return new ApiError(`only the following media types are accepted: ${types.join(", ")}`, {
    code: 406,
    reason: "NotAcceptable",
  });
}
