"""One thin adapter for each web framework, and what they share: start, signals, workers, end.

An adapter is a module with one function that ``handlers.WEB`` names::

    serve(site: Site, listen: Listen, loop: NewLoop, workers: int, ready: Ready) -> int

It serves the routes of ``site`` until SIGTERM or SIGINT and returns the exit status.

``listen``
    A bound, listening address: ``listen.socket`` for a server that takes a socket,
    ``listen.socket.fileno()`` for one that takes a descriptor, ``listen.spread(workers)`` for one
    socket a process (SO_REUSEPORT), ``listen.hand_over()`` for a server that binds for itself.
``loop``
    Makes the event loop, in the process that runs it.
``workers``
    How many processes answer; 1 is what the framework's users do for one. Each process calls
    ``site.open(lenient, refresh)`` before it accepts and ``site.close()`` at its end: ``refresh``
    in one of them, ``lenient`` where it replaces one that died.
``ready``
    Called once, in the process that was started, when all workers accept connections.

Two helpers do nearly all of that. ``lifecycle.run`` is for what runs on an event loop of ours, in
this process or in workers; ``supervisor.supervise`` for what wants a process of its own.

What every adapter promises, and ``tests/engines`` holds it to (what a framework does where no
adapter can reach is a gap, named with its entry in ``handlers.WEB``, and expected to be one):

- The page of a request is the route's ``constant``, or what ``respond`` makes of the ``Visit``, or
  ``site.failed`` of what it raises; every other request gets ``site.missing``, ``too_large``,
  ``malformed`` or ``closing``. HEAD is answered where GET is. No redirect: ``/good/`` and ``//``
  are 404.
- A path parameter is one segment, percent-decoded. ``%2F`` is no slash, on any route.
- A constant is answered from its route alone, in the framework's most ordinary form
  (``Response(text=...)``): nothing of the request is looked at, and nothing is added to it, no
  header of ours. It is what the framework costs.
- Every other page has the headers of its ``Kind``. The body is read before a page that
  ``takes_body`` is made, up to ``BODY_LIMIT`` bytes, then 413; the pages parse it. What else has a
  body is answered as if it had none, or 413 where the framework reads it all the same.
- The session cookie is read and set through the framework's own interface, as its users do, with
  ``SESSION_OPTIONS``. A cookie that the framework cannot read is none, and its visitor a new one.
- ``Visit.address`` is the peer's address, never what a header claims (X-Forwarded-For, Forwarded,
  X-Real-IP).
- Nothing that a client does writes a line to the log, whatever it sends or breaks off; nothing goes
  to standard output. ``lifecycle.ignore`` keeps what a framework says of its clients out of it.
- A request that is too large is refused while it comes in, and one that does not come in is cut
  off (``patience``: ``lifecycle.run`` begins it, or who has a loop of its own). No body is
  decompressed.
- At the level debug each request, also what is refused as no HTTP, is one line (``access_log``),
  hung in at the start: at every other level nothing is added to the way of a request.
- A stop accepts no more, lets requests in flight finish for ``FINISH_SECONDS``, cuts off the rest,
  and ends within ``supervisor.STOP_SECONDS``; an idle or silent client does not hold it up.
- A worker that dies is replaced; no process is left behind, not even when the parent is killed.
"""
