export { podGarbageCollector } from "./pod-garbage-collector.js";
