// Media types of request bodies.
import { unsupportedMediaType } from "./decode-error.js";

/** The encodings of objects this server reads. */
export type BodyEncoding = "application/json" | "application/yaml" | "application/vnd.kubernetes.protobuf";

/** In the order kube-apiserver lists them. */
export const bodyEncodings: readonly BodyEncoding[] = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];

/** The type of a `content-type` header without its parameters, in lower case. */
function mediaTypeOf(contentType: string): string {
  const semicolon = contentType.indexOf(";");
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

/** How a body is encoded. Default: JSON. Throws ApiError 415. */
export function bodyEncodingOf(contentType: string | undefined): BodyEncoding {
  if (!contentType) return "application/json";
  const mediaType = mediaTypeOf(contentType);
  const known = bodyEncodings.find((encoding) => encoding === mediaType);
  if (known === undefined) throw unsupportedMediaType(bodyEncodings);
  return known;
}
