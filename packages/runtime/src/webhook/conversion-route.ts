// The path of conversions: many objects at once, of any kind the manager has conversions for. All succeed or none does.
import { isObject, type KubeObject, parseApiVersion } from "@kubewright/api";
import { requestOf, uidOf } from "./admission-request.js";
import type { Reviewed, RouteScope } from "./admission-route.js";
import type { ConversionDefinition } from "./define-conversion.js";
import { messageOf, ReviewError } from "./review-error.js";

/** A page of a list is converted in one go, so this is larger than for admission. */
const maxConversionBytes = 64 * 1024 * 1024;

export class ConversionRoute {
  readonly maxBytes = maxConversionBytes;
  readonly #byKind: ReadonlyMap<string, ConversionDefinition>;
  readonly #scope: RouteScope;

  constructor(conversions: readonly ConversionDefinition[], scope: RouteScope) {
    this.#byKind = new Map(
      conversions.map((conversion) => [`${conversion.hub.kind}.${conversion.hub.group}`, conversion]),
    );
    this.#scope = scope;
  }

  /** Throws a ReviewError for a body that is no ConversionReview. */
  async review(body: unknown): Promise<Reviewed> {
    const request = requestOf(body, "ConversionReview", "apiextensions.k8s.io/v1");
    const { desiredAPIVersion, objects } = request;
    const uid = uidOf(request);
    if (typeof desiredAPIVersion !== "string" || !Array.isArray(objects))
      throw new ReviewError(400, "the request needs desiredAPIVersion and objects");
    const response = this.#convert(objects, desiredAPIVersion);
    return {
      body: {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "ConversionReview",
        response: { uid, ...response },
      },
      code: response.result.status === "Success" ? 200 : 500,
    };
  }

  #convert(objects: readonly unknown[], apiVersion: string) {
    let current: unknown;
    try {
      const convertedObjects = objects.map((object) => {
        current = object;
        return this.#conversionOf(object).convert(object as KubeObject, apiVersion);
      });
      return { convertedObjects, result: { status: "Success" } };
    } catch (error) {
      const message = `${describe(current)} to ${apiVersion}: ${messageOf(error)}`;
      this.#scope.log.error("conversion failed", { error, object: describe(current), apiVersion });
      this.#scope.onError("conversion", error);
      return { convertedObjects: [], result: { status: "Failure", message } };
    }
  }

  #conversionOf(object: unknown): ConversionDefinition {
    const { apiVersion, kind } = isObject(object) ? object : {};
    const group = parseApiVersion(String(apiVersion ?? ""))?.group ?? "";
    const conversion = this.#byKind.get(`${String(kind)}.${group}`);
    if (!conversion) throw new Error("there is no conversion for this kind");
    return conversion;
  }
}

/** `AppService app.example.com/v1 shop/web` */
function describe(object: unknown): string {
  if (!isObject(object)) return "something that is no object";
  const { apiVersion, kind, metadata } = object;
  const { namespace, name } = isObject(metadata) ? metadata : {};
  return `${kind} ${apiVersion} ${namespace ? `${namespace}/` : ""}${name ?? ""}`.slice(0, 500);
}
