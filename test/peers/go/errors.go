package main

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func errorChecks() []check {
	return []check{
		{"errors are those operators look for", errorsByReason},
		{"invalid objects name their fields", invalidCauses},
		{"impersonated users are refused", impersonated},
		{"warnings reach the warning handler", warnings},
	}
}

func errorsByReason(ctx context.Context, p *peer) error {
	maps, name := p.typed.CoreV1().ConfigMaps(namespace), p.prefix+"-errors"
	made, err := maps.Create(ctx, configMap(name, nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	stale := made.DeepCopy()
	made.Data = map[string]string{"a": "1"}
	if _, err := maps.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	stale.Data = map[string]string{"a": "2"}
	other := types.UID("00000000-0000-0000-0000-000000000000")
	for _, each := range []struct {
		what string
		is   func(error) bool
		try  func() error
	}{
		{"not found", apierrors.IsNotFound, func() error {
			_, err := maps.Get(ctx, "absent", metav1.GetOptions{})
			return err
		}},
		{"already exists", apierrors.IsAlreadyExists, func() error {
			_, err := maps.Create(ctx, configMap(name, nil), metav1.CreateOptions{})
			return err
		}},
		{"conflict", apierrors.IsConflict, func() error {
			_, err := maps.Update(ctx, stale, metav1.UpdateOptions{})
			return err
		}},
		{"conflict on a precondition", apierrors.IsConflict, func() error {
			return maps.Delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}})
		}},
		{"expired", apierrors.IsResourceExpired, func() error {
			_, err := maps.List(ctx, metav1.ListOptions{
				Limit:    1,
				Continue: "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhXHUwMDAwIn0",
			})
			return err
		}},
		{"bad request", apierrors.IsBadRequest, func() error {
			_, err := maps.List(ctx, metav1.ListOptions{FieldSelector: "data.a=1"})
			return err
		}},
		{"namespace not found", apierrors.IsNotFound, func() error {
			_, err := p.typed.CoreV1().ConfigMaps("absent").Create(ctx, configMap(name, nil), metav1.CreateOptions{})
			return err
		}},
	} {
		if err := each.try(); err == nil || !each.is(err) {
			return fmt.Errorf("%s: got %w", each.what, err)
		}
	}
	return nil
}

func invalidCauses(ctx context.Context, p *peer) error {
	_, err := p.typed.CoreV1().Services(namespace).Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "Not-A-Label"},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 70000}}},
	}, metav1.CreateOptions{})
	var status apierrors.APIStatus
	if !apierrors.IsInvalid(err) || !errors.As(err, &status) {
		return fmt.Errorf("got %w", err)
	}
	fields := map[string]bool{}
	for _, cause := range status.Status().Details.Causes {
		fields[cause.Field] = true
	}
	if !fields["metadata.name"] || !fields["spec.ports[0].port"] {
		return fmt.Errorf("causes name %v", fields)
	}
	return nil
}

func impersonated(ctx context.Context, p *peer) error {
	config := rest.CopyConfig(p.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "nobody", Groups: []string{"system:authenticated"}}
	_, err := kubernetes.NewForConfigOrDie(config).CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{})
	if !apierrors.IsForbidden(err) {
		return fmt.Errorf("got %w", err)
	}
	return nil
}

type warningList struct{ texts []string }

func (w *warningList) HandleWarningHeader(code int, _ string, text string) {
	w.texts = append(w.texts, fmt.Sprint(code, " ", text))
}

func warnings(ctx context.Context, p *peer) error {
	heard := &warningList{}
	config := rest.CopyConfig(p.config)
	config.WarningHandler = heard
	err := kubernetes.NewForConfigOrDie(config).CoreV1().RESTClient().Post().
		Namespace(namespace).Resource("configmaps").
		Param("fieldValidation", "Warn").Param("dryRun", "All").
		SetHeader("Content-Type", "application/json").
		Body([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"warned"},"datum":{}}`)).
		Do(ctx).Error()
	if err != nil {
		return err
	}
	return same("warnings", fmt.Sprint(heard.texts), `[299 unknown field "datum"]`)
}
