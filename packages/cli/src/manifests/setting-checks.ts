// The names that manifests, charts, bundles and labels of images are made of: what Kubernetes, Helm or a registry would refuse later is
// refused here, with the place where it is set.
import { UsageError } from "../command.js";

const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** Of a registry, with a tag or a digest. */
const image = /^[A-Za-z0-9]([\w.:/@+-]{0,510}[\w])?$/;
/** Semantic versions, as npm, Helm and OLM have them. */
const version =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/** Names of objects are made of it, with something before or after. */
export function checkManagerName(name: string): void {
  if (!label.test(name))
    throw new UsageError(
      `the manager is called ${JSON.stringify(name)}: objects are named after it, so lower-case letters, digits and dashes are needed; change name in defineManager`,
    );
}

export function checkedNamespace(name: string): string {
  if (label.test(name)) return name;
  throw new UsageError(
    `the namespace ${JSON.stringify(name)} is not one: at most 63 lower-case letters, digits and dashes are needed; change --namespace or kubewright.namespace in package.json`,
  );
}

export function checkedDeployment(name: string): string {
  if (label.test(name)) return name;
  throw new UsageError(
    `the name ${JSON.stringify(name)} is not one of a Deployment: at most 63 lower-case letters, digits and dashes are needed; change kubewright.deployment in package.json`,
  );
}

export function checkedImage(name: string): string {
  if (image.test(name)) return name;
  throw new UsageError(
    `the image ${JSON.stringify(name)} is not one: a name such as registry.example/shop:1.0 is needed; change --image or kubewright.image in package.json`,
  );
}

export function checkedVersion(text: string): string {
  if (version.test(text)) return text;
  throw new UsageError(`package.json: version ${JSON.stringify(text)} is not one, such as 1.2.3`);
}
