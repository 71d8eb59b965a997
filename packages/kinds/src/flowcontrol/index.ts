// The kinds of flowcontrol.apiserver.k8s.io.
import { flowSchemas } from "./flow-schema.js";
import { priorityLevelConfigurations } from "./priority-level-configuration.js";

export const flowControlKinds = [flowSchemas, priorityLevelConfigurations];
