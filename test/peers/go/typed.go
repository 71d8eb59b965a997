package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/retry"
)

func typedChecks() []check {
	return []check{
		{"config map: create, get, list, watch, update, patch, delete", configMapLife},
		{"deployment: defaults, generation, status, scale", deploymentLife},
		{"service: addresses, ports, update", serviceLife},
		{"secret: string data, types, immutability", secretLife},
		{"lease: times to the microsecond", leaseLife},
		{"event recorder: create and count", recordEvents},
		{"event recorder of events.k8s.io: create and make a series", recordSeries},
		{"pod: create, bind, status, evict", podLife},
		{"reviews and tokens", reviewsAndTokens},
		{"conflicts are retried", retryConflicts},
		{"delete collection by label", deleteCollection},
	}
}

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
}

func configMapLife(ctx context.Context, p *peer) error {
	maps, name := p.typed.CoreV1().ConfigMaps(namespace), p.prefix+"-life"
	draft := configMap(name, map[string]string{"a": "1"})
	draft.BinaryData = map[string][]byte{"raw": {0, 255, 128}}
	draft.Labels = map[string]string{"check": name}
	made, err := maps.Create(ctx, draft, metav1.CreateOptions{FieldManager: "peer"})
	if err != nil {
		return err
	}
	watcher, err := maps.Watch(ctx, metav1.ListOptions{
		LabelSelector: "check=" + name, ResourceVersion: made.ResourceVersion,
	})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	return all(
		func() error { return same("manager", made.ManagedFields[0].Manager, "peer") },
		func() error { return same("creation known", made.CreationTimestamp.IsZero(), false) },
		func() error {
			got, err := maps.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			return same("bytes", string(got.BinaryData["raw"]), string([]byte{0, 255, 128}))
		},
		func() error {
			list, err := maps.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
			if err != nil {
				return err
			}
			return same("items", len(list.Items), 1)
		},
		func() error {
			made.Data["a"] = "2"
			updated, err := maps.Update(ctx, made, metav1.UpdateOptions{})
			if err != nil {
				return err
			}
			return same("a", updated.Data["a"], "2")
		},
		func() error {
			for kind, patch := range map[types.PatchType]string{
				types.MergePatchType:          `{"data":{"m":"1"}}`,
				types.StrategicMergePatchType: `{"data":{"s":"1"}}`,
				types.JSONPatchType:           `[{"op":"add","path":"/data/j","value":"1"}]`,
			} {
				if _, err := maps.Patch(ctx, name, kind, []byte(patch), metav1.PatchOptions{}); err != nil {
					return fmt.Errorf("%s: %w", kind, err)
				}
			}
			got, err := maps.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			return same("patched", fmt.Sprint(got.Data), "map[a:2 j:1 m:1 s:1]")
		},
		func() error { return maps.Delete(ctx, name, metav1.DeleteOptions{}) },
		func() error {
			for _, want := range []watch.EventType{
				watch.Modified, watch.Modified, watch.Modified, watch.Modified, watch.Deleted,
			} {
				event, err := next(ctx, watcher, want)
				if err != nil {
					return err
				}
				if _, typed := event.Object.(*corev1.ConfigMap); !typed {
					return fmt.Errorf("event holds %T", event.Object)
				}
			}
			return nil
		},
	)
}

func deployment(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	surge := intstr.FromString("50%")
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Strategy: appsv1.DeploymentStrategy{
				Type:          appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &surge},
			},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name: "main", Image: "example.com/main:1",
					Ports: []corev1.ContainerPort{{ContainerPort: 80}},
				}}},
			},
		},
	}
}

func deploymentLife(ctx context.Context, p *peer) error {
	deployments, name := p.typed.AppsV1().Deployments(namespace), p.prefix+"-life"
	made, err := deployments.Create(ctx, deployment(name), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return all(
		func() error { return same("replicas", *made.Spec.Replicas, 1) },
		func() error { return same("surge", made.Spec.Strategy.RollingUpdate.MaxSurge.String(), "50%") },
		func() error {
			return same("unavailable", made.Spec.Strategy.RollingUpdate.MaxUnavailable.String(), "25%")
		},
		func() error {
			return same("protocol", made.Spec.Template.Spec.Containers[0].Ports[0].Protocol, corev1.ProtocolTCP)
		},
		func() error { return same("generation", made.Generation, 1) },
		func() error {
			made.Status.ObservedGeneration, made.Status.Replicas = 1, 1
			updated, err := deployments.UpdateStatus(ctx, made, metav1.UpdateOptions{})
			if err != nil {
				return err
			}
			return same("generation after status", updated.Generation, 1)
		},
		func() error {
			scale, err := deployments.GetScale(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			scale.Spec.Replicas = 3
			scale, err = deployments.UpdateScale(ctx, name, scale, metav1.UpdateOptions{})
			if err != nil {
				return err
			}
			return same("scale", fmt.Sprintf("%d %s", scale.Spec.Replicas, scale.Status.Selector), "3 app="+name)
		},
		func() error {
			got, err := deployments.Patch(ctx, name, types.StrategicMergePatchType,
				[]byte(`{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"example.com/side:1"}]}}}}`),
				metav1.PatchOptions{})
			if err != nil {
				return err
			}
			return same("containers and generation", fmt.Sprint(len(got.Spec.Template.Spec.Containers), got.Generation), "2 3")
		},
		func() error {
			background := metav1.DeletePropagationBackground
			return deployments.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &background})
		},
	)
}

func serviceLife(ctx context.Context, p *peer) error {
	services, name := p.typed.CoreV1().Services(namespace), p.prefix+"-life"
	made, err := services.Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.ServiceSpec{
			Type:     corev1.ServiceTypeNodePort,
			Selector: map[string]string{"app": name},
			Ports:    []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromString("http")}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return all(
		func() error { return same("has address", made.Spec.ClusterIP != "", true) },
		func() error { return same("has node port", made.Spec.Ports[0].NodePort >= 30000, true) },
		func() error { return same("target", made.Spec.Ports[0].TargetPort.StrVal, "http") },
		func() error {
			made.Spec.Ports[0].TargetPort = intstr.FromInt32(8080)
			updated, err := services.Update(ctx, made, metav1.UpdateOptions{})
			if err != nil {
				return err
			}
			return same("target", updated.Spec.Ports[0].TargetPort.IntVal, 8080)
		},
		func() error { return services.Delete(ctx, name, metav1.DeleteOptions{}) },
	)
}

func secretLife(ctx context.Context, p *peer) error {
	secrets, name := p.typed.CoreV1().Secrets(namespace), p.prefix+"-life"
	immutable := true
	made, err := secrets.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		StringData: map[string]string{"word": "öffne"},
		Immutable:  &immutable,
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return all(
		func() error { return same("word", string(made.Data["word"]), "öffne") },
		func() error { return same("type", made.Type, corev1.SecretTypeOpaque) },
		func() error {
			made.Data["word"] = []byte("else")
			_, err := secrets.Update(ctx, made, metav1.UpdateOptions{})
			return same("immutable", err != nil, true)
		},
		func() error { return secrets.Delete(ctx, name, metav1.DeleteOptions{}) },
	)
}

func leaseLife(ctx context.Context, p *peer) error {
	leases, name := p.typed.CoordinationV1().Leases(namespace), p.prefix+"-life"
	renewed := metav1.NewMicroTime(time.Date(2024, 2, 29, 23, 59, 59, 123456000, time.UTC))
	holder, seconds := "me", int32(15)
	if _, err := leases.Create(ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &renewed},
	}, metav1.CreateOptions{}); err != nil {
		return err
	}
	got, err := leases.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := same("renewed", got.Spec.RenewTime.UTC().String(), renewed.UTC().String()); err != nil {
		return err
	}
	return leases.Delete(ctx, name, metav1.DeleteOptions{})
}

func recordEvents(ctx context.Context, p *peer) error {
	maps, name := p.typed.CoreV1().ConfigMaps(namespace), p.prefix+"-events"
	about, err := maps.Create(ctx, configMap(name, nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	broadcaster := record.NewBroadcaster()
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: p.typed.CoreV1().Events("")})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "peer"})
	recorder.Event(about, corev1.EventTypeNormal, "Checked", "looked at it")
	recorder.Event(about, corev1.EventTypeNormal, "Checked", "looked at it")
	return until(ctx, "one event counted twice", func() bool {
		list, err := p.typed.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{
			FieldSelector: "involvedObject.name=" + name + ",reason=Checked",
		})
		return err == nil && len(list.Items) == 1 && list.Items[0].Count == 2
	})
}

func recordSeries(ctx context.Context, p *peer) error {
	maps, name := p.typed.CoreV1().ConfigMaps(namespace), p.prefix+"-series"
	about, err := maps.Create(ctx, configMap(name, nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: p.typed.EventsV1()})
	defer broadcaster.Shutdown()
	if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
		return err
	}
	recorder := broadcaster.NewRecorder(scheme.Scheme, "example.com/peer")
	recorded := func(times int32) func() bool {
		return func() bool {
			list, err := p.typed.EventsV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "regarding.name=" + name})
			if err != nil || len(list.Items) != 1 {
				return false
			}
			series := list.Items[0].Series
			return times == 1 || series != nil && series.Count == times
		}
	}
	recorder.Eventf(about, nil, corev1.EventTypeNormal, "Checked", "Check", "looked at it")
	if err := until(ctx, "an event", recorded(1)); err != nil {
		return err
	}
	recorder.Eventf(about, nil, corev1.EventTypeNormal, "Checked", "Check", "looked at it")
	return until(ctx, "a series", recorded(2))
}

func podLife(ctx context.Context, p *peer) error {
	pods, name := p.typed.CoreV1().Pods(namespace), p.prefix+"-life"
	no, zero := false, int64(0)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := p.typed.CoreV1().ServiceAccounts(namespace).Create(ctx, account, metav1.CreateOptions{}); err != nil {
		return err
	}
	made, err := pods.Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-"},
		Spec: corev1.PodSpec{
			ServiceAccountName:            name,
			AutomountServiceAccountToken:  &no,
			TerminationGracePeriodSeconds: &zero,
			Containers:                    []corev1.Container{{Name: "main", Image: "example.com/main:1"}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return all(
		func() error { return same("quality", made.Status.QOSClass, corev1.PodQOSBestEffort) },
		func() error {
			return pods.Bind(ctx, &corev1.Binding{
				ObjectMeta: metav1.ObjectMeta{Name: made.Name},
				Target:     corev1.ObjectReference{Kind: "Node", Name: "nowhere"},
			}, metav1.CreateOptions{})
		},
		func() error {
			got, err := pods.Get(ctx, made.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			got.Status.Phase = corev1.PodRunning
			got, err = pods.UpdateStatus(ctx, got, metav1.UpdateOptions{})
			if err != nil {
				return err
			}
			return same("node and phase", got.Spec.NodeName+" "+string(got.Status.Phase), "nowhere Running")
		},
		func() error {
			return pods.EvictV1(ctx, &policyv1.Eviction{
				ObjectMeta:    metav1.ObjectMeta{Name: made.Name},
				DeleteOptions: &metav1.DeleteOptions{GracePeriodSeconds: &zero},
			})
		},
		func() error {
			list, err := pods.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + made.Name})
			if err != nil {
				return err
			}
			return same("left", len(list.Items), 0)
		},
	)
}

func reviewsAndTokens(ctx context.Context, p *peer) error {
	accounts, name := p.typed.CoreV1().ServiceAccounts(namespace), p.prefix+"-robot"
	account, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	token, err := accounts.CreateToken(ctx, account.Name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	config := rest.AnonymousClientConfig(p.config)
	config.BearerToken = token.Status.Token
	robot := kubernetes.NewForConfigOrDie(config)
	return all(
		func() error {
			who, err := robot.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
			if err != nil {
				return err
			}
			return same("who", who.Status.UserInfo.Username, "system:serviceaccount:default:"+name)
		},
		func() error {
			access, err := p.typed.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
				Spec: authorizationv1.SelfSubjectAccessReviewSpec{
					ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "delete", Resource: "pods", Namespace: namespace},
				},
			}, metav1.CreateOptions{})
			if err != nil {
				return err
			}
			return same("allowed", access.Status.Allowed, true)
		},
		func() error {
			review, err := p.typed.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{
				Spec: authenticationv1.TokenReviewSpec{Token: token.Status.Token},
			}, metav1.CreateOptions{})
			if err != nil {
				return err
			}
			return same("authenticated", review.Status.Authenticated, true)
		},
	)
}

func retryConflicts(ctx context.Context, p *peer) error {
	maps, name := p.typed.CoreV1().ConfigMaps(namespace), p.prefix+"-count"
	if _, err := maps.Create(ctx, configMap(name, map[string]string{"n": ""}), metav1.CreateOptions{}); err != nil {
		return err
	}
	const writers = 4
	failures := make(chan error, writers)
	for range writers {
		go func() {
			failures <- retry.RetryOnConflict(retry.DefaultBackoff, func() error {
				got, err := maps.Get(ctx, name, metav1.GetOptions{})
				if err != nil {
					return err
				}
				got.Data["n"] += "x"
				_, err = maps.Update(ctx, got, metav1.UpdateOptions{})
				return err
			})
		}()
	}
	for range writers {
		if err := <-failures; err != nil {
			return err
		}
	}
	got, err := maps.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	return same("count", len(got.Data["n"]), writers)
}

func deleteCollection(ctx context.Context, p *peer) error {
	maps, label := p.typed.CoreV1().ConfigMaps(namespace), "collection="+p.prefix
	for number := range 3 {
		draft := configMap(fmt.Sprintf("%s-collection-%d", p.prefix, number), nil)
		draft.Labels = map[string]string{"collection": p.prefix}
		if _, err := maps.Create(ctx, draft, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	if err := maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: label}); err != nil {
		return err
	}
	list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: label})
	if err != nil {
		return err
	}
	return same("left", len(list.Items), 0)
}
