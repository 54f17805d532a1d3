"""One adapter for each web framework, and the code that all of them share.

An adapter is a module with one function, named in ``handlers.WEB``. Where the framework speaks an
interface, it makes the application that a server of ``handlers.servers`` serves; for ASGI that is
as follows, and for WSGI the same with ``wsgi``::

    application(site: Site) -> asgi.application.Application

Where the framework has a server of its own, the function serves::

    serve(site: Site, listen: Listen, loop: NewLoop, workers: int, ready: Ready) -> int

It serves the routes of ``site`` until SIGTERM or SIGINT and returns the exit status.

``listen``
    A bound, listening address: ``listen.socket`` for a server that takes a socket,
    ``listen.socket.fileno()`` for one that takes a descriptor, ``listen.spread(workers)`` for one
    socket in each process (SO_REUSEPORT), ``listen.hand_over()`` for a server that binds by itself.
``loop``
    A function that makes the event loop, to be called in the process that runs it.
``workers``
    The number of processes that answer. Each calls ``site.open(lenient, refresh)`` before it
    accepts connections and ``site.close()`` at its end: with ``refresh`` in exactly one of them,
    and with ``lenient`` in one that replaces a process that died.
``ready``
    A function to call once, in the process that was started, when all workers accept connections.

``lifecycle.run`` does nearly all of that for a framework that runs on an event loop of ours,
``background.run`` for one whose pages run in threads, and ``supervisor.supervise`` for one that
wants a process of its own.

Every adapter keeps these rules, and ``tests/live/engines`` checks them. A rule that a framework
breaks where no adapter can prevent it, or only at a price for each request, is a gap: it is named
with the framework or its server in ``handlers``, and the tests expect it.

- A request is answered with the route's ``constant``, with the page that ``respond`` returns for
  the ``Visit``, or with ``site.failed`` for the error that it raises. Every other request gets
  ``site.missing``, ``too_large``, ``malformed`` or ``closing``. HEAD is answered where GET is.
  There are no redirects: ``/good/`` and ``//`` are 404.
- A request that is not HTTP is 400: a length that is not decimal (or, for a chunk, hexadecimal)
  digits, two lengths or one beside a coding, a bare CR or LF, a blank before a colon. A proxy may
  read it in another way.
- A client that has sent its request and closed its side is answered. This is a gap of every
  framework where a page waits for a database, and of some servers on every page.
- A path parameter is one segment, percent-decoded. ``%2F`` is not a slash, on any route.
- A constant is answered with the framework's most ordinary response (``Response(text=...)``).
  Nothing of the request is read and no header is added, as the page shows the framework's own cost.
- Every other page has the headers of its ``Kind``. The body of a route that ``takes_body`` is read
  before the page is made, up to ``BODY_LIMIT`` bytes; a longer one is 413. A body that comes with
  any other request is ignored, or 413 where the framework reads it all the same.
- The session cookie is read and set through the framework's public interface with
  ``SESSION_OPTIONS``. A visitor whose cookie the framework cannot read is a new one. The cookie
  MANAGER is read in the same way; the pages set it with a header.
- ``Visit.address`` is the peer's address, never the claim of a header (X-Forwarded-For, Forwarded,
  X-Real-IP).
- No client can cause a line in the log, and nothing goes to standard output. ``lifecycle.ignore``
  drops the remarks of a framework about its clients.
- When few open files are left, one line a minute says so, idle connections are closed
  (``client_timeouts.enforce``), and asyncio accepts no others for a second (``listen.socket``).
- A request that is too large is refused while it arrives, and one that does not arrive in time is
  cut off (``client_timeouts.enforce``, which ``lifecycle.run`` calls). No body is decompressed.
- Clients that send slowly, or nothing, keep nobody else waiting. This is a gap of a server that has
  a thread wait for each of them.
- While a client does not read its answers, little of what it sends is read and few of its requests
  wait, so that its connection takes little memory.
- At the level debug each request is one line of the log (``access_log``), also one that is refused
  as malformed. At every other level, requests take no extra step for it.
- After a stop signal the server accepts nothing more, lets requests in flight finish for
  ``TIMEOUTS.finish`` seconds, cuts off the rest, and ends within ``TIMEOUTS.stop`` seconds. Idle
  and silent clients do not delay it.
- A worker that dies is replaced. No process is left behind, not even when the parent is killed.
"""
