package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/pager"
	watchtools "k8s.io/client-go/tools/watch"
)

func informerChecks() []check {
	return []check{
		{"lists come in pages", pages},
		{"shared informer: add, update, resync, delete", sharedInformer},
		{"every resource has an informer", informEverything},
		{"retry watcher goes on when watches time out", retryWatcher},
		{"wait until a condition holds", waitUntil},
		{"leader election: one leads, the next takes over", electLeader},
	}
}

func pages(ctx context.Context, p *peer) error {
	maps, label := p.typed.CoreV1().ConfigMaps(namespace), "page="+p.prefix
	for number := range 25 {
		draft := configMap(fmt.Sprintf("%s-page-%02d", p.prefix, number), nil)
		draft.Labels = map[string]string{"page": p.prefix}
		if _, err := maps.Create(ctx, draft, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	calls, seen := 0, 0
	reader := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		calls++
		return maps.List(ctx, options)
	})
	reader.PageSize = 10
	err := reader.EachListItem(ctx, metav1.ListOptions{LabelSelector: label}, func(runtime.Object) error {
		seen++
		return nil
	})
	if err != nil {
		return err
	}
	return same("calls and items", fmt.Sprint(calls, " ", seen), "3 25")
}

type tally struct{ added, updated, resynced, deleted atomic.Int32 }

func (t *tally) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { t.added.Add(1) },
		UpdateFunc: func(before, after any) {
			if before.(metav1.Object).GetResourceVersion() == after.(metav1.Object).GetResourceVersion() {
				t.resynced.Add(1)
			} else {
				t.updated.Add(1)
			}
		},
		DeleteFunc: func(any) { t.deleted.Add(1) },
	}
}

func sharedInformer(ctx context.Context, p *peer) error {
	maps, name := p.typed.CoreV1().ConfigMaps(namespace), p.prefix+"-informed"
	draft := configMap(name, map[string]string{"a": "1"})
	draft.Labels = map[string]string{"informed": p.prefix}
	made, err := maps.Create(ctx, draft, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(p.typed, 1*time.Second,
		informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "informed=" + p.prefix }))
	heard, lister := &tally{}, factory.Core().V1().ConfigMaps().Lister()
	if _, err := factory.Core().V1().ConfigMaps().Informer().AddEventHandler(heard.handler()); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer factory.Shutdown()
	defer cancel()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return all(
		func() error { return until(ctx, "add", func() bool { return heard.added.Load() == 1 }) },
		func() error {
			got, err := lister.ConfigMaps(namespace).List(labels.Everything())
			if err != nil {
				return err
			}
			return same("listed", len(got), 1)
		},
		func() error { return until(ctx, "resync", func() bool { return heard.resynced.Load() > 0 }) },
		func() error {
			made.Data["a"] = "2"
			_, err := maps.Update(ctx, made, metav1.UpdateOptions{})
			return err
		},
		func() error { return until(ctx, "update", func() bool { return heard.updated.Load() == 1 }) },
		func() error { return maps.Delete(ctx, name, metav1.DeleteOptions{}) },
		func() error { return until(ctx, "delete", func() bool { return heard.deleted.Load() == 1 }) },
	)
}

// informEverything starts a typed informer for each resource client-go knows, and one of metadata for all others.
func informEverything(ctx context.Context, p *peer) error {
	_, lists, err := discovery.NewDiscoveryClientForConfigOrDie(p.config).ServerGroupsAndResources()
	if err != nil {
		return err
	}
	kept := discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "watch"}}, lists)
	resources, err := discovery.GroupVersionResources(kept)
	if err != nil {
		return err
	}
	partial := metadatainformer.NewSharedInformerFactory(metadata.NewForConfigOrDie(p.config), 0)
	typed := informers.NewSharedInformerFactory(p.typed, 0)
	waiting := map[schema.GroupVersionResource]cache.InformerSynced{}
	for resource := range resources {
		if generic, err := typed.ForResource(resource); err == nil {
			waiting[resource] = generic.Informer().HasSynced
		} else {
			waiting[resource] = partial.ForResource(resource).Informer().HasSynced
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer partial.Shutdown()
	defer typed.Shutdown()
	defer cancel()
	typed.Start(ctx.Done())
	partial.Start(ctx.Done())
	for resource, synced := range waiting {
		if err := until(ctx, resource.String(), synced); err != nil {
			return err
		}
	}
	return same("there are many", len(waiting) > 50, true)
}

func retryWatcher(ctx context.Context, p *peer) error {
	maps, name := p.typed.CoreV1().ConfigMaps(namespace), p.prefix+"-rewatched"
	made, err := maps.Create(ctx, configMap(name, nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	var opened atomic.Int32
	second := int64(1)
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, made.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			opened.Add(1)
			options.FieldSelector, options.TimeoutSeconds = "metadata.name="+name, &second
			return maps.Watch(ctx, options)
		},
	})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	if err := until(ctx, "a second watch", func() bool { return opened.Load() > 1 }); err != nil {
		return err
	}
	if err := maps.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	_, err = next(ctx, watcher, watch.Deleted)
	return err
}

func waitUntil(ctx context.Context, p *peer) error {
	maps, name := p.typed.CoreV1().ConfigMaps(namespace), p.prefix+"-awaited"
	go func() {
		time.Sleep(50 * time.Millisecond)
		_, _ = maps.Create(ctx, configMap(name, map[string]string{"ready": "yes"}), metav1.CreateOptions{})
	}()
	selected := func(options *metav1.ListOptions) { options.FieldSelector = "metadata.name=" + name }
	lists := cache.NewFilteredListWatchFromClient(p.typed.CoreV1().RESTClient(), "configmaps", namespace, selected)
	event, err := watchtools.UntilWithSync(ctx, lists, &corev1.ConfigMap{}, nil, func(event watch.Event) (bool, error) {
		return event.Object.(*corev1.ConfigMap).Data["ready"] == "yes", nil
	})
	if err != nil {
		return err
	}
	return same("event", event.Type, watch.Added)
}

func electLeader(ctx context.Context, p *peer) error {
	led := make(chan string, 2)
	candidate := func(ctx context.Context, identity string) {
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: p.prefix + "-leader"},
				Client:     p.typed.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
			},
			LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { led <- identity },
				OnStoppedLeading: func() {},
			},
		})
	}
	first, resign := context.WithCancel(ctx)
	defer resign()
	go candidate(first, "first")
	if err := same("leader", <-led, "first"); err != nil {
		return err
	}
	second, cancel := context.WithCancel(ctx)
	defer cancel()
	go candidate(second, "second")
	select {
	case other := <-led:
		return fmt.Errorf("%s leads while the first does", other)
	case <-time.After(500 * time.Millisecond):
	}
	resign()
	select {
	case next := <-led:
		return same("leader", next, "second")
	case <-ctx.Done():
		return ctx.Err()
	}
}

func surviveRestart(ctx context.Context, p *peer) error {
	maps := p.typed.CoreV1().ConfigMaps(namespace)
	if _, err := maps.Create(ctx, configMap("before", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(p.typed, 0, informers.WithNamespace(namespace))
	lister := factory.Core().V1().ConfigMaps().Lister().ConfigMaps(namespace)
	has := func(name string) func() bool {
		return func() bool {
			_, err := lister.Get(name)
			return err == nil
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer factory.Shutdown()
	defer cancel()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return all(
		func() error { return until(ctx, "the object before", has("before")) },
		restartServer,
		func() error {
			return until(ctx, "the server to answer", func() bool {
				_, err := maps.Create(ctx, configMap("after", nil), metav1.CreateOptions{})
				return err == nil
			})
		},
		func() error { return until(ctx, "the object after", has("after")) },
		func() error { return same("the object before is known", has("before")(), false) },
	)
}
