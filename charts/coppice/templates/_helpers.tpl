{{/* The configuration of the release: the Service is the one of it, and what comes from other values
of the chart is filled in. */}}
{{- define "coppice.whole" -}}
{{- $own := dict "admission" (dict "serviceName" .Release.Name) -}}
{{- $set := dict -}}
{{- if and .Values.activator.enabled (gt (int .Values.activator.replicaCount) 1) -}}
{{- $service := printf "%s/%s-activator" .Release.Namespace .Release.Name -}}
{{- $_ := set $own "activator" (dict "service" $service) -}}
{{- end -}}
{{- if .Values.nats.enabled -}}
{{- $server := printf "nats://%s-nats.%s.svc:4222" .Release.Name .Release.Namespace -}}
{{- $bus := dict "enabled" true "servers" (list $server) "tokenFile" "/var/run/secrets/nats/token" -}}
{{- $_ := set $set "bus" $bus -}}
{{- end -}}
{{- if .Values.certManager.enabled -}}
{{- $certificates := dict "mode" "manual" "directory" "/var/run/secrets/webhooks" -}}
{{- $_ := set $set "admission" (dict "certificates" $certificates) -}}
{{- end -}}
{{- mergeOverwrite $own (deepCopy .Values.config) $set | toYaml -}}
{{- end -}}

{{/* The same as the controller gets it: without the webhooks where these are apart. */}}
{{- define "coppice.config" -}}
{{- $config := include "coppice.whole" . | fromYaml -}}
{{- if .Values.webhooks.separate -}}
{{- $_ := set $config.admission "enabled" false -}}
{{- if hasKey $config "authorizer" -}}
{{- $_ := set $config.authorizer "enabled" false -}}
{{- end -}}
{{- end -}}
{{- $config | toYaml -}}
{{- end -}}

{{/* The same as webhooks get it that are apart: behind a Service of their own, whose certificate
they have, and the authorizer knows the controller by its name. */}}
{{- define "coppice.webhookConfig" -}}
{{- $config := include "coppice.whole" . | fromYaml -}}
{{- $_ := set $config.admission "serviceName" (printf "%s-webhook" .Release.Name) -}}
{{- if dig "authorizer" "enabled" false $config -}}
{{- $controller := printf "system:serviceaccount:%s:%s" .Release.Namespace .Release.Name -}}
{{- $trusted := dig "authorizer" "exemptServiceAccountUserNames" list $config -}}
{{- $_ := set $config.authorizer "exemptServiceAccountUserNames" (append $trusted $controller) -}}
{{- end -}}
{{- $config | toYaml -}}
{{- end -}}

{{/* Which optional parts are on. Permissions ask this alone, so nothing is granted that is off. */}}
{{- define "coppice.on" -}}
{{- include "coppice.onBy" (include "coppice.config" . | fromYaml) -}}
{{- end -}}

{{/* Of webhooks that are apart. */}}
{{- define "coppice.webhookOn" -}}
{{- include "coppice.onBy" (include "coppice.webhookConfig" . | fromYaml) -}}
{{- end -}}

{{/* Of a configuration. */}}
{{- define "coppice.onBy" -}}
{{- $config := . -}}
{{- $schedulers := list -}}
{{- range dig "scheduler" "profiles" list $config -}}
{{- $schedulers = append $schedulers .name -}}
{{- end -}}
{{- $grove := dig "modules" "grove" true $config -}}
{{- $sandboxes := dig "modules" "agentsandbox" false $config -}}
{{- $conversion := and $sandboxes (dig "agentSandbox" "conversionWebhook" true $config) -}}
{{- $admission := and (or $grove $conversion) (dig "admission" "enabled" false $config) -}}
{{- $registers := and $admission (ne (dig "admission" "registration" "none" $config) "none") -}}
{{- $automatic := and $admission (eq (dig "admission" "certificates" "mode" "auto" $config) "auto") -}}
{{- $questions := dig "questions" "enabled" false $config -}}
{{- $inspector := dig "inspector" "enabled" false $config -}}
{{- $metrics := dig "server" "metricsBindAddress" "0.0.0.0" $config }}
grove: {{ $grove }}
nvidia: {{ dig "modules" "nvidia" false $config }}
agentsandbox: {{ $sandboxes }}
sandboxExtensions: {{ and $sandboxes (dig "agentSandbox" "extensions" true $config) }}
leases: {{ dig "leases" "enabled" false $config }}
bus: {{ dig "bus" "enabled" true $config }}
questions: {{ $questions }}
inspector: {{ $inspector }}
reviews: {{ or $questions $inspector }}
plainMetrics: {{ not (or (hasPrefix "127." $metrics) (eq "::1" $metrics)) }}
admission: {{ $admission }}
registration: {{ and $grove $admission (eq (dig "admission" "registration" "none" $config) "service") }}
certificates: {{ $automatic }}
trust: {{ and $grove (or $automatic $registers) }}
conversion: {{ and $conversion $admission }}
authorizer: {{ and $grove $admission (dig "authorizer" "enabled" false $config) }}
computeDomains: {{ and $grove (dig "network" "autoMNNVLEnabled" false $config) }}
tokenReads: {{ and $grove (gt (len (dig "tokenSecrets" "readNamespaces" list $config)) 0) }}
kai: {{ and $grove (has "kai-scheduler" $schedulers) }}
volcano: {{ and $grove (has "volcano" $schedulers) }}
{{- end -}}

{{/* What values say that go wrong together; the schema sees each by itself. */}}
{{- define "coppice.check" -}}
{{- $on := include "coppice.on" . | fromYaml -}}
{{- $config := include "coppice.config" . | fromYaml -}}
{{- if and (gt (int .Values.replicaCount) 1) (not $on.leases) -}}
{{- fail "replicaCount is more than 1, with it config.leases.enabled must be true" -}}
{{- end -}}
{{- if and .Values.nats.enabled (not .Values.natsSecretName) -}}
{{- fail "nats.enabled is true, with it natsSecretName must name a Secret with the key token" -}}
{{- end -}}
{{- if and .Values.nats.enabled (dig "bus" "servers" list .Values.config) -}}
{{- fail "nats.enabled is true, without it config.bus.servers name the servers" -}}
{{- end -}}
{{- if and (not $on.plainMetrics) (not $on.questions) -}}
{{- fail "config.server.metricsBindAddress is of loopback: for metrics over TLS config.questions.enabled must be true" -}}
{{- end -}}
{{- if and (not $on.plainMetrics) (eq (dig "server" "metricsPort" 2752 $config | int) (dig "server" "healthPort" 2751 $config | int)) -}}
{{- fail "config.server.metricsPort is healthPort, which all may reach: it must be another where metricsBindAddress is of loopback" -}}
{{- end -}}
{{- $whole := include "coppice.onBy" (include "coppice.whole" . | fromYaml) | fromYaml -}}
{{- if and .Values.webhooks.separate (not $whole.admission) -}}
{{- fail "webhooks.separate is true, with it config.admission.enabled must be true" -}}
{{- end -}}
{{- if and .Values.certManager.enabled (not $whole.admission) -}}
{{- fail "certManager.enabled is true, with it config.admission.enabled must be true" -}}
{{- end -}}
{{- end -}}

{{/* What of the labels never changes, by which pods are selected. */}}
{{- define "coppice.selector" -}}
app.kubernetes.io/name: coppice
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "coppice.release" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "coppice.labels" -}}
{{ include "coppice.selector" . }}
{{ include "coppice.release" . }}
{{- end -}}

{{/* The same of activators, which are no pods of the controller. */}}
{{- define "coppice.activatorSelector" -}}
app.kubernetes.io/name: coppice-activator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "coppice.activatorLabels" -}}
{{ include "coppice.activatorSelector" . }}
{{ include "coppice.release" . }}
{{- end -}}

{{/* The same of webhooks that are apart. */}}
{{- define "coppice.webhookSelector" -}}
app.kubernetes.io/name: coppice-webhook
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "coppice.webhookLabels" -}}
{{ include "coppice.webhookSelector" . }}
{{ include "coppice.release" . }}
{{- end -}}

{{/* Pod Security Standard "restricted". */}}
{{- define "coppice.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "coppice.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "coppice.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
