package main

import (
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// controller is one as client-go's documentation builds it: a shared informer, a rate limited queue, one worker.
type controller struct {
	informer cache.SharedIndexInformer
	queue    workqueue.TypedRateLimitingInterface[string]
	stop     chan struct{}
	stopped  sync.WaitGroup
	// reconciled hears of every reconcile.
	reconciled atomic.Pointer[func(*Widget)]
}

func newController(client rest.Interface) *controller {
	source := cache.NewListWatchFromClient(client, "widgets", metav1.NamespaceAll, fields.Everything())
	c := &controller{
		informer: cache.NewSharedIndexInformer(source, &Widget{}, 0, cache.Indexers{}),
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.DefaultTypedControllerRateLimiter[string](),
		),
		stop: make(chan struct{}),
	}
	enqueue := func(object any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
			c.queue.Add(key)
		}
	}
	_, err := c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, object any) { enqueue(object) },
		DeleteFunc: enqueue,
	})
	if err != nil {
		panic(err)
	}
	return c
}

// onReconcile replaces who hears of reconciles.
func (c *controller) onReconcile(hear func(*Widget)) {
	c.reconciled.Store(&hear)
}

// start returns when the first list is cached; reconciles begin then.
func (c *controller) start() {
	c.stopped.Go(func() { c.informer.Run(c.stop) })
	for !c.informer.HasSynced() {
		time.Sleep(time.Millisecond)
	}
	c.stopped.Go(c.work)
}

func (c *controller) work() {
	for {
		key, over := c.queue.Get()
		if over {
			return
		}
		if object, found, err := c.informer.GetIndexer().GetByKey(key); err == nil && found {
			(*c.reconciled.Load())(object.(*Widget))
		}
		c.queue.Forget(key)
		c.queue.Done(key)
	}
}

func (c *controller) close() {
	c.queue.ShutDown()
	close(c.stop)
	c.stopped.Wait()
}
