{{/* The configuration as the controller gets it: the Service is the one of this release. */}}
{{- define "coppice.config" -}}
{{- $own := dict "admission" (dict "serviceName" .Release.Name) -}}
{{- mergeOverwrite $own (deepCopy .Values.config) | toYaml -}}
{{- end -}}

{{/* Which optional parts are on. Permissions ask this alone, so nothing is granted that is off. */}}
{{- define "coppice.on" -}}
{{- $config := .Values.config -}}
{{- $schedulers := list -}}
{{- range dig "scheduler" "profiles" list $config -}}
{{- $schedulers = append $schedulers .name -}}
{{- end -}}
{{- $grove := dig "modules" "grove" true $config -}}
{{- $sandboxes := dig "modules" "agentsandbox" false $config -}}
{{- $conversion := and $sandboxes (dig "agentSandbox" "conversionWebhook" true $config) -}}
{{- $admission := and (or $grove $conversion) (dig "admission" "enabled" false $config) -}}
{{- $automatic := and $admission (eq (dig "admission" "certificates" "mode" "auto" $config) "auto") -}}
{{- $questions := dig "questions" "enabled" false $config -}}
{{- $inspector := dig "inspector" "enabled" false $config }}
grove: {{ $grove }}
nvidia: {{ dig "modules" "nvidia" false $config }}
agentsandbox: {{ $sandboxes }}
sandboxExtensions: {{ and $sandboxes (dig "agentSandbox" "extensions" true $config) }}
leases: {{ dig "leases" "enabled" false $config }}
questions: {{ $questions }}
inspector: {{ $inspector }}
reviews: {{ or $questions $inspector }}
admission: {{ $admission }}
registration: {{ and $grove $admission (eq (dig "admission" "registration" "none" $config) "service") }}
certificates: {{ $automatic }}
trust: {{ and $grove $automatic }}
conversion: {{ and $conversion $admission }}
authorizer: {{ and $grove $admission (dig "authorizer" "enabled" false $config) }}
computeDomains: {{ and $grove (dig "network" "autoMNNVLEnabled" false $config) }}
tokenReads: {{ and $grove (gt (len (dig "tokenSecrets" "readNamespaces" list $config)) 0) }}
kai: {{ and $grove (has "kai-scheduler" $schedulers) }}
volcano: {{ and $grove (has "volcano" $schedulers) }}
{{- end -}}

{{- define "coppice.labels" -}}
app.kubernetes.io/name: coppice
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
