// The Service that gives members their names, and the budget that protects their majority.
import type { PodDisruptionBudget, Service } from "@kubewright/api";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { majorityOf } from "../client/replica-set-documents.js";
import { labelsOf, placeOf, port, selectorOf, serviceName } from "./names.js";

/** Members that are not ready need their names most: they are found under them before they can be. */
export function serviceOf(mongodb: MongoDBCommunity) {
  const { name } = placeOf(mongodb);
  return {
    metadata: { name: serviceName(name), labels: labelsOf(name) },
    spec: {
      clusterIP: "None",
      publishNotReadyAddresses: true,
      selector: selectorOf(name),
      ports: [{ name: "mongodb", port, targetPort: "mongodb" }],
    },
  } satisfies Service;
}

/** As many pods must stay as are a majority of the voters. One alone may be moved only by hand. */
export function budgetOf(mongodb: MongoDBCommunity, voters: number) {
  const { name } = placeOf(mongodb);
  return {
    metadata: { name, labels: labelsOf(name) },
    spec: { minAvailable: majorityOf(Math.max(1, voters)), selector: { matchLabels: selectorOf(name) } },
  } satisfies PodDisruptionBudget;
}
