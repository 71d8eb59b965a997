// Content negotiation: the representation of a response.
import { ApiError, type GroupVersionKind } from "@kubewright/api";
import { type AcceptClause, parseAccept } from "./accept.js";
import { type BodyEncoding, bodyEncodings } from "./media-type.js";

/** The encoding of a response and what it should be turned into first. */
export interface Negotiated {
  readonly mediaType: BodyEncoding;
  /** The kind that the object is converted into: `Table`, `PartialObjectMetadata`, `APIGroupDiscoveryList`, … */
  readonly as: GroupVersionKind | undefined;
  readonly pretty: boolean;
  /** The `content-type` header of the response, parameters included. */
  readonly contentType: string;
}

/** What an endpoint can answer with. */
export interface NegotiateOptions {
  /**
   * Whether the endpoint can answer in this encoding and form (none: the object as it is); a clause that asks for what it
   * cannot is skipped. Default: every encoding, and no forms.
   */
  allows?(mediaType: BodyEncoding, as: GroupVersionKind | undefined): boolean;
  /** Types of which a client has to name one before its header is looked at any closer; nobody has to by default. */
  readonly produces?: readonly string[] | undefined;
  /** A watch: only streaming types count. */
  readonly stream?: boolean | undefined;
  /** The version of the API machinery that `sv` may name. */
  readonly serverVersion?: string | undefined;
  /** `?pretty=` and the user agent decide on indentation as in kube-apiserver. */
  readonly pretty?: string | null | undefined;
  readonly userAgent?: string | undefined;
}

/** The media types of responses with one object, and of responses that may be watches. */
export const objectTypes: readonly string[] = bodyEncodings;
const streamTypes = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];
/** The media types of lists and watches. */
export const listTypes: readonly string[] = [...bodyEncodings, ...streamTypes];

/** Reads an Accept header. Throws ApiError 406 when nothing in it can be served. */
export function negotiate(accept: string | undefined, options: NegotiateOptions): Negotiated {
  const pretty = wantsPretty(options);
  if (!accept || accept === "application/json") return plain("application/json", pretty);
  if (options.produces && !namesOne(accept, options.produces)) throw noRepresentation(options.produces);
  const found = firstServed(accept, options, pretty);
  if (!found) throw notAccepted(bodyEncodings);
  return options.stream ? streamed(found) : found;
}

function firstServed(accept: string, options: NegotiateOptions, pretty: boolean): Negotiated | undefined {
  for (const clause of parseAccept(accept)) {
    for (const mediaType of bodyEncodings) {
      const found = matches(clause, mediaType) && serve(clause, mediaType, options, pretty);
      if (found) return found;
    }
  }
  return undefined;
}

/** The same as a stream of events; a client that prefers what cannot be streamed is not asked what else it would take. */
function streamed(negotiated: Negotiated): Negotiated {
  if (negotiated.mediaType === "application/yaml") throw notAccepted(streamTypes);
  if (negotiated.mediaType === "application/json") return negotiated;
  return { ...negotiated, contentType: `${negotiated.mediaType};stream=watch` };
}

/**
 * Forms every resource endpoint can answer in besides the objects as they are: Table and PartialObjectMetadata(List), v1 and
 * v1beta1. Tables have no protobuf.
 */
export function allowsMetaForms(mediaType: BodyEncoding, as: GroupVersionKind | undefined): boolean {
  if (as === undefined) return true;
  const { group, version, kind } = as;
  if (group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return false;
  if (kind === "Table") return mediaType !== "application/vnd.kubernetes.protobuf";
  return kind === "PartialObjectMetadata" || kind === "PartialObjectMetadataList";
}

function serve(
  { parameters }: AcceptClause,
  mediaType: BodyEncoding,
  options: NegotiateOptions,
  pretty: boolean,
): Negotiated | undefined {
  const stream = parameters.get("stream");
  if (stream && (stream !== "watch" || mediaType === "application/yaml")) return undefined;
  const serverVersion = parameters.get("sv");
  if (serverVersion && serverVersion !== options.serverVersion) return undefined;
  const as = conversion(parameters);
  if (!(options.allows ?? onlyPlain)(mediaType, as)) return undefined;
  return {
    ...plain(mediaType, pretty || parameters.get("pretty") === "1"),
    as,
    contentType: contentType(mediaType, as),
  };
}

const onlyPlain = (_mediaType: BodyEncoding, as: GroupVersionKind | undefined): boolean => as === undefined;

function plain(mediaType: BodyEncoding, pretty: boolean): Negotiated {
  return { mediaType, as: undefined, pretty, contentType: mediaType };
}

/** Tables and metadata are announced by their content; discovery documents by their type. */
function contentType(mediaType: BodyEncoding, as: GroupVersionKind | undefined): string {
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

/** Whether one of the types is named, parameters aside, or all of them are. */
function namesOne(accept: string, types: readonly string[]): boolean {
  return accept.split(",").some((clause) => {
    const [type = ""] = clause.split(";");
    return type.trim() === "*/*" || types.includes(type.trim());
  });
}

/** People at a terminal or a browser get indented JSON. */
function wantsPretty({ pretty, userAgent }: NegotiateOptions): boolean {
  if (pretty) return /^(1|t|T|true|True|TRUE)$/.test(pretty);
  return userAgent !== undefined && /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}

/** No type of the header is known at all. */
function noRepresentation(types: readonly string[]): ApiError {
  return new ApiError(`406: Not Acceptable\n\nAvailable representations: ${types.join(", ")}`, {
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
