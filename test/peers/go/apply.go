package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	autoscalingv1 "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	corev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
)

func applyChecks() []check {
	return []check{
		{"apply: owners, conflicts, force, removal", applyOwnership},
		{"apply: extract, change and apply a deployment, its status and its scale", applyDeployment},
	}
}

func applyOwnership(ctx context.Context, p *peer) error {
	maps, name := p.typed.CoreV1().ConfigMaps(namespace), p.prefix+"-applied"
	wanted := func(data map[string]string) *corev1.ConfigMapApplyConfiguration {
		return corev1.ConfigMap(name, namespace).WithData(data)
	}
	return all(
		func() error {
			_, err := maps.Apply(ctx, wanted(map[string]string{"a": "1", "b": "1"}), metav1.ApplyOptions{FieldManager: "one"})
			return err
		},
		func() error {
			_, err := maps.Apply(ctx, wanted(map[string]string{"a": "2"}), metav1.ApplyOptions{FieldManager: "two"})
			if !apierrors.IsConflict(err) {
				return fmt.Errorf("got %w", err)
			}
			return nil
		},
		func() error {
			got, err := maps.Apply(ctx, wanted(map[string]string{"a": "2"}), metav1.ApplyOptions{FieldManager: "two", Force: true})
			if err != nil {
				return err
			}
			mine, err := corev1.ExtractConfigMap(got, "one")
			if err != nil {
				return err
			}
			return same("left to one", fmt.Sprint(mine.Data), "map[b:1]")
		},
		func() error {
			got, err := maps.Apply(ctx, wanted(nil), metav1.ApplyOptions{FieldManager: "one"})
			if err != nil {
				return err
			}
			return same("data", fmt.Sprint(got.Data), "map[a:2]")
		},
	)
}

func applyDeployment(ctx context.Context, p *peer) error {
	deployments, name := p.typed.AppsV1().Deployments(namespace), p.prefix+"-applied"
	labels := map[string]string{"app": name}
	options := metav1.ApplyOptions{FieldManager: "peer"}
	wanted := appsv1.Deployment(name, namespace).WithSpec(appsv1.DeploymentSpec().
		WithSelector(applymetav1.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(corev1.PodTemplateSpec().WithLabels(labels).WithSpec(corev1.PodSpec().
			WithContainers(corev1.Container().WithName("main").WithImage("example.com/main:1")))))
	if _, err := deployments.Apply(ctx, wanted, options); err != nil {
		return err
	}
	return all(
		func() error {
			got, err := deployments.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			mine, err := appsv1.ExtractDeployment(got, "peer")
			if err != nil {
				return err
			}
			mine.Spec.Template.Spec.WithContainers(corev1.Container().WithName("side").WithImage("example.com/side:1"))
			got, err = deployments.Apply(ctx, mine, options)
			if err != nil {
				return err
			}
			return same("containers", len(got.Spec.Template.Spec.Containers), 2)
		},
		func() error {
			got, err := deployments.ApplyStatus(ctx, appsv1.Deployment(name, namespace).
				WithStatus(appsv1.DeploymentStatus().WithReplicas(2)), options)
			if err != nil {
				return err
			}
			return same("status", got.Status.Replicas, 2)
		},
		func() error {
			got, err := deployments.ApplyScale(ctx, name, autoscalingv1.Scale().
				WithSpec(autoscalingv1.ScaleSpec().WithReplicas(4)), metav1.ApplyOptions{FieldManager: "scaler", Force: true})
			if err != nil {
				return err
			}
			return same("scale", got.Spec.Replicas, 4)
		},
	)
}
