import type { Pod } from "@kubewright/api";
import { notFound, storedAs } from "@kubewright/kinds";

import type { AdmissionRequest } from "../../registry/admission-control.js";

/** The pod a request is about, as it is stored. */
export function podOf({ namespace = "", name, object, context }: AdmissionRequest, named = ""): Pod {
  const wanted = named || name || object?.metadata.name || "";
  const pod = context.services.storage.get("pods", `${namespace}/${wanted}`);
  if (!pod) throw notFound({ group: "", resource: "pods", name: wanted });
  return storedAs<Pod>(pod);
}
