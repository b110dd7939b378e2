"""A loopback gRPC server that answers Qdrant's points and collections services through a local-mode client."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc as wire
from qdrant_client import QdrantClient, grpc, models
from qdrant_client.conversions.conversion import GrpcToRest, RestToGrpc
from qdrant_client.grpc import collections_service_pb2_grpc, points_service_pb2_grpc, qdrant_pb2_grpc


class GrpcStandIn:
    """The server. ``calls`` holds each request message; ``fail`` names a method, and how it fails, for the next call."""

    def __init__(self) -> None:
        self.client = QdrantClient(":memory:")
        self.calls: list[tuple[str, Any]] = []
        self.fail: dict[str, Any] = {}
        self._server = wire.server(ThreadPoolExecutor(1))
        points_service_pb2_grpc.add_PointsServicer_to_server(Points(self), self._server)
        collections_service_pb2_grpc.add_CollectionsServicer_to_server(Collections(self), self._server)
        qdrant_pb2_grpc.add_QdrantServicer_to_server(Health(self), self._server)
        self.port = self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()

    def close(self) -> None:
        self._server.stop(0).wait()

    def take(self, name: str, request: Any, context: Any) -> Any:
        """Record the call, and fail it where that is planned: a status code, seconds to sleep, or an update status."""
        self.calls.append((name, request))
        planned = self.fail.pop(name, None)
        if isinstance(planned, wire.StatusCode):
            context.abort(planned, f"planned {planned.name}")
        if isinstance(planned, float):
            time.sleep(planned)
        return planned


class Part:
    """One service."""

    def __init__(self, standin: GrpcStandIn) -> None:
        self.standin = standin
        self.client: Any = standin.client


class Points(Part, points_service_pb2_grpc.PointsServicer):
    def Upsert(self, request: Any, context: Any) -> Any:
        planned = self.standin.take("Upsert", request, context)
        points = [GrpcToRest.convert_point_struct(p) for p in request.points]
        mode = GrpcToRest.convert_update_mode(request.update_mode) if request.HasField("update_mode") else None
        done = self.client.upsert(request.collection_name, points, update_mode=mode)
        return self._answer(done, planned)

    def Delete(self, request: Any, context: Any) -> Any:
        planned = self.standin.take("Delete", request, context)
        selector = GrpcToRest.convert_points_selector(request.points)
        return self._answer(self.client.delete(request.collection_name, selector), planned)

    def _answer(self, done: Any, planned: Any) -> Any:
        if isinstance(planned, str):
            done = models.UpdateResult(operation_id=1, status=models.UpdateStatus(planned))
        return grpc.PointsOperationResponse(result=RestToGrpc.convert_update_result(done))

    def Get(self, request: Any, context: Any) -> Any:
        self.standin.take("Get", request, context)
        found = self.client.retrieve(
            request.collection_name,
            [GrpcToRest.convert_point_id(i) for i in request.ids],
            with_payload=_payload(request),
            with_vectors=GrpcToRest.convert_with_vectors_selector(request.with_vectors),
        )
        return grpc.GetResponse(result=[RestToGrpc.convert_record(_filled(r)) for r in found])

    def Scroll(self, request: Any, context: Any) -> Any:
        self.standin.take("Scroll", request, context)
        page, cursor = self.client.scroll(
            request.collection_name,
            scroll_filter=GrpcToRest.convert_filter(request.filter) if request.HasField("filter") else None,
            limit=request.limit,
            offset=GrpcToRest.convert_point_id(request.offset) if request.HasField("offset") else None,
            with_payload=_payload(request),
            with_vectors=GrpcToRest.convert_with_vectors_selector(request.with_vectors),
        )
        following = None if cursor is None else RestToGrpc.convert_extended_point_id(cursor)
        return grpc.ScrollResponse(
            result=[RestToGrpc.convert_record(_filled(r)) for r in page], next_page_offset=following
        )

    def Count(self, request: Any, context: Any) -> Any:
        self.standin.take("Count", request, context)
        return grpc.CountResponse(result=grpc.CountResult(count=self.client.count(request.collection_name).count))

    def QueryBatch(self, request: Any, context: Any) -> Any:
        self.standin.take("QueryBatch", request, context)
        asked = [GrpcToRest.convert_query_points(q) for q in request.query_points]
        answers = self.client.query_batch_points(request.collection_name, asked)
        results = [
            grpc.BatchResult(result=[RestToGrpc.convert_scored_point(_filled(p)) for p in a.points]) for a in answers
        ]
        return grpc.QueryBatchResponse(result=results)


class Collections(Part, collections_service_pb2_grpc.CollectionsServicer):
    def Get(self, request: Any, context: Any) -> Any:
        self.standin.take("Collection", request, context)
        if not self.client.collection_exists(request.collection_name):
            context.abort(
                wire.StatusCode.NOT_FOUND, f"Not found: Collection `{request.collection_name}` doesn't exist!"
            )
        info = self.client.get_collection(request.collection_name)
        return grpc.GetCollectionInfoResponse(result=RestToGrpc.convert_collection_info(info))

    def List(self, request: Any, context: Any) -> Any:
        names = [c.name for c in self.client.get_collections().collections]
        return grpc.ListCollectionsResponse(collections=[grpc.CollectionDescription(name=n) for n in names])

    def ListAliases(self, request: Any, context: Any) -> Any:
        return grpc.ListAliasesResponse()


class Health(Part, qdrant_pb2_grpc.QdrantServicer):
    def HealthCheck(self, request: Any, context: Any) -> Any:
        return grpc.HealthCheckReply(title="stand-in", version="1.19.0")


def _payload(request: Any) -> Any:
    selected = GrpcToRest.convert_with_payload_selector(request.with_payload)
    return selected.include if hasattr(selected, "include") else selected


def _filled(point: Any) -> Any:
    """gRPC has no absent payload, only an empty one."""
    point.payload = point.payload or {}
    return point
