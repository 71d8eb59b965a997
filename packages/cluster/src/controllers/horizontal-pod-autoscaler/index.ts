export { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler-controller.js";
